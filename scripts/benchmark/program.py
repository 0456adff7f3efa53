"""Programs that are timed: how they are started, and how several are measured side by side."""
import os
import pathlib
import shlex
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from typing import List, Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "{folder}"  # stands in a command for a fresh folder of each start
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                    "MKL_NUM_THREADS", "OMP_PROC_BIND", "OMP_WAIT_POLICY", "GOMP_CPU_AFFINITY")


class Failure(Exception):
    """A program could not do its work: one line for the user."""


@dataclass
class Program:
    """One way to do the work of a benchmark, with its times in seconds."""
    name: str
    setting: str  # what it may use of the machine, or what it records
    command: List[str]
    start_up_command: List[str]  # the same, cut down to one step of training
    threads: Optional[int] = None  # OMP_NUM_THREADS; None: the program decides
    scale: float = 1  # the work that is wanted / the work that `command` does
    wall: List[float] = field(default_factory=list)
    start_up: List[float] = field(default_factory=list)

    def measure(self):
        self.start_up.append(run(self.start_up_command, self.threads)[1])
        self.wall.append(run(self.command, self.threads)[1])

    def work(self):
        """Of each repeat, the time for the whole work without start-up."""
        # Of no work at all, start-up can by chance take the longer of the two.
        return [max(wall - start_up, 0) * self.scale
                for wall, start_up in zip(self.wall, self.start_up)]

    def total(self):
        """Of each repeat, the time for the whole work: start-up counts once, however scaled."""
        return [wall + work * (1 - 1 / self.scale) for wall, work in zip(self.wall, self.work())]

    def median(self, start_up=True):
        return statistics.median(self.total() if start_up else self.work())


def environment(threads):
    """The user's environment, but for what sets threads."""
    variables = {name: value for name, value in os.environ.items() if name not in THREAD_VARIABLES}
    if threads is not None:
        variables["OMP_NUM_THREADS"] = str(threads)
    return variables


def run(command, threads=None):
    """Runs a command to its end: its stdout, and the seconds from start to end. What it writes goes
    to a fresh folder, which is removed when the clock has stopped."""
    with tempfile.TemporaryDirectory(prefix="qkvlab-bench-") as folder:
        filled = [part.replace(FOLDER, folder + "/out") for part in command]
        start = time.perf_counter()
        try:
            done = subprocess.run(filled, cwd=ROOT, env=environment(threads), text=True,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        except OSError as error:
            raise Failure(f"{command[0]}: {error.strerror}") from None
        seconds = time.perf_counter() - start
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["nothing on stderr"])[-1]
        raise Failure(f"exit code {done.returncode} of {shlex.join(command)}: {said}")
    return done.stdout, seconds
