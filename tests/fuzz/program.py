#!/usr/bin/env python3
"""Runs whole commands on mutated files, for scripts/fuzz program.

  program.py SECONDS [--seed N] [--qkvlab PROGRAM] [--found FOLDER]

Whatever a file holds, a command ends with one of the exit codes that are promised, within two minutes
and 8 GiB, and never says that it is itself at fault. Prints how often each command was run, and how
often it ended with 0; the exit code is 1 where something was found, and what was found is kept."""

import argparse
import collections
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PROMISED = {0, 1, 2, 75, 130, 143}
SECONDS_EACH = 120
BYTES_EACH = 8 << 30
WORDS = [b"null", b"true", b"-1", b"0", b"1e308", b"1e-320", b"9223372036854775807", b"NaN", b'"NaN"', b"{}",
         b"[]", b'""', b"\0", b"\xff", b"\xef\xbb\xbf", b"\n", b",", b"\t", "注".encode(), b'"run"', b"..",
         b"none", b"full", b"\x1b[2J"]
TRAINING = ["training.steps=1000000", "run.checkpoint_steps=20", "record.step=1"]
SWEEP = ['ablation.variants=["full","none"]', "--seeds", "0..1", "--workers", "1", "training.steps=4"]


def mutated(data):
    """The data with one to four small changes."""
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        at = random.randrange(len(data) + 1)
        length = min(len(data) - at, random.choice((1, 2, 8, 100)))
        kind = random.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = random.choice(b"0123456789-.,:\"{}[]\n\t ")
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length]
        elif kind == 4:
            data[at:at + length] = random.choice(WORDS)
        elif kind == 5:
            data[at:at] = random.choice(WORDS)
        elif random.random() < 0.3:
            del data[at:]
    return bytes(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def files_below(folder):
    return sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
                  if not name.startswith("."))


class Fuzzer:
    def __init__(self, options, base):
        self.options, self.base = options, base
        self.inputs, self.accepted = collections.Counter(), collections.Counter()
        self.found = 0
        self.configs = [path for path in files_below(f"{ROOT}/configs")
                        if path.endswith(".json") and "/attend/" not in path]
        self.attend = [path for path in files_below(f"{ROOT}/configs/attend")]
        self.sentiment = f"{ROOT}/configs/sentiment.json"
        self.sweep, self.interrupted = f"{base}/sweep", f"{base}/interrupted"
        self.table = f"{base}/table.csv"

    def prepare(self):
        """What is mutated: a sweep that has ended, a run that was interrupted, and a table."""
        self.run(["ablate", self.sentiment, *SWEEP, "record.attention.every=2", "--out", self.sweep], (0,))
        self.run(["train", self.sentiment, *TRAINING, "limits.seconds=1", "--out", self.interrupted], (75, 130))
        write(self.table, b"variant,seed,depth,value\n" + b"".join(
            f"{variant},{seed},{depth},{len(variant) / (1 + seed + depth)}\n".encode()
            for variant in ("full", "none") for seed in range(7) for depth in (1, 2)))

    def run(self, arguments, wanted):
        done = subprocess.run([self.options.qkvlab, *arguments], capture_output=True, timeout=SECONDS_EACH)
        if done.returncode not in wanted:
            sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()[-500:]}")

    def try_one(self):
        command = random.choice((self.check, self.attend_file, self.compare_table, self.read_records,
                                 self.read_folder, self.resume, self.repeat))
        place = f"{self.base}/input"
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        arguments = command(place)
        fault, code = self.judge(arguments)
        self.inputs[arguments[0]] += 1
        self.accepted[arguments[0]] += code == 0
        if fault:
            self.found += 1
            kept = tempfile.mkdtemp(prefix="program-", dir=self.options.found)
            shutil.copytree(place, f"{kept}/input")
            print(f"{' '.join(arguments)}: {fault}; kept in {kept}", file=sys.stderr)

    def judge(self, arguments):
        def limit_memory():
            resource.setrlimit(resource.RLIMIT_AS, (BYTES_EACH, BYTES_EACH))

        try:
            done = subprocess.run([self.options.qkvlab, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=SECONDS_EACH, preexec_fn=limit_memory)
        except subprocess.TimeoutExpired:
            return "takes too long", None
        said = " ".join(done.stderr.decode(errors="replace").split())
        if done.returncode not in PROMISED:
            return f"exit code {done.returncode}: {said[-500:]}", done.returncode
        for blame in ("fault of its own", "out of memory", "killed by signal"):
            if blame in said:
                return said[-500:], done.returncode
        return "", done.returncode

    def a_mutated(self, path, place):
        copy = os.path.join(place, os.path.basename(path))
        write(copy, mutated(read(path)))
        return copy

    def check(self, place):
        return ["check", self.a_mutated(random.choice(self.configs), place)]

    def attend_file(self, place):
        return ["attend", self.a_mutated(random.choice(self.attend), place), "--format", "json"]

    def compare_table(self, place):
        return ["compare", self.a_mutated(self.table, place)]

    def reader(self, path, place):
        return random.choice((["compare", path], ["show", path],
                              ["report", path, "-o", os.path.join(place, "page.html")]))

    def read_records(self, place):
        records = random.choice(files_below(f"{self.sweep}/records"))
        return self.reader(self.a_mutated(records, place), place)

    def a_mutated_folder(self, folder, place):
        copy = os.path.join(place, "folder")
        shutil.copytree(folder, copy)
        path = random.choice(files_below(copy))
        if random.random() < 0.1:
            os.remove(path)
        else:
            write(path, mutated(read(path)))
        return copy

    def read_folder(self, place):
        return self.reader(self.a_mutated_folder(self.sweep, place), place)

    def resume(self, place):
        folder = self.a_mutated_folder(self.interrupted, place)
        return ["train", self.sentiment, *TRAINING, "limits.seconds=0.1", "--resume", "--out", folder]

    def repeat(self, place):
        folder = self.a_mutated_folder(self.sweep, place)
        return ["ablate", self.sentiment, *SWEEP, "record.attention.every=2", "--out", folder]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--qkvlab", default=os.path.join(ROOT, "scripts", "qkvlab"))
    parser.add_argument("--found", default=tempfile.gettempdir(), help="where inputs are kept that break something")
    options = parser.parse_args()
    random.seed(options.seed)
    base = tempfile.mkdtemp(prefix="fuzz-program.")
    try:
        fuzzer = Fuzzer(options, base)
        fuzzer.prepare()
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            fuzzer.try_one()
    finally:
        shutil.rmtree(base, ignore_errors=True)
    for command, count in sorted(fuzzer.inputs.items()):
        print(f"{command}: {count} inputs, {fuzzer.accepted[command]} of them accepted")
    print(f"{sum(fuzzer.inputs.values())} inputs, seed {options.seed}; {fuzzer.found} broke something")
    sys.exit(1 if fuzzer.found else 0)


if __name__ == "__main__":
    main()
