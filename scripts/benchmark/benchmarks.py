"""What is measured: each benchmark as programs that do the same work."""
import json
from dataclasses import dataclass, field
from typing import List, Optional

from .machine import cores
from .program import FOLDER, ROOT, Program, run

NAMES = ("sentiment", "projection_sharing", "char_lm", "sentiment_records",
         "projection_sharing_records")

# What is recorded; by default every step's loss and every tenth step's gradient norms.
RECORDS = {"no records": ["record.step=0", "record.gradients=0"], "default records": [],
           "attention every 10": ["record.attention.every=10"]}


@dataclass
class Benchmark:
    name: str
    title: str
    unit: str  # of the work
    work: float  # how much of that each program does, all its runs together
    programs: List[Program]
    baseline: Program  # what a table's ratios are of
    # Of qkvlab on one core, and on the whole machine; None where no PyTorch is compared with.
    core: Optional[Program] = None
    machine: Optional[Program] = None
    flops: Optional[float] = None  # of all the work; None: shares of the peak are not asked for
    peaks: List[float] = field(default_factory=list)  # GFLOP/s of sgemm on one core, each repeat


@dataclass
class Lab:
    """The programs under test and how large the work is."""
    qkvlab: str
    python: str
    text: Optional[str]
    quick: bool

    def pytorch(self, script, *arguments):
        return [self.python, str(ROOT / "scripts/pytorch" / script), *map(str, arguments)]

    def pytorch_programs(self, name, command, start_up, scale=1):
        """At one thread, at one for each core, and as PyTorch decides."""
        # Threads that wait for each other take minutes where tests keep the cores busy.
        counts = {1} if self.quick else {1, cores()}
        settings = [("1 thread" if n == 1 else f"{n} threads", n) for n in sorted(counts)]
        return [Program(name, setting, command, start_up, threads, scale)
                for setting, threads in [*settings, ("default", None)]]

    def ablate(self, config, *arguments, workers=None):
        limit = ["--workers", str(workers)] if workers else []
        return [self.qkvlab, "ablate", config, *map(str, arguments), *limit, "--out", FOLDER]


def named(modes):
    """The options that choose these variants."""
    return [word for mode in modes for word in ("--variant", mode)]


def training_flops(lab, config, *overrides):
    """Of one token, forward and backward."""
    checked = run([lab.qkvlab, "check", config, *overrides, "--format", "json"])[0]
    return json.loads(checked)["flops_per_token"]["training"]


class Sentiment:
    """The eight-sentence model: five modes under many seeds."""
    config = "configs/sentiment.json"
    modes = "full,identity_qkv,uniform,shared_qk,none"

    def __init__(self, lab):
        self.lab = lab
        self.seeds, self.epochs, self.loop_seeds = (4, 10, 2) if lab.quick else (1000, 100, 20)

    def qkvlab(self, setting, workers=None, records=()):
        def command(modes, seeds, epochs):
            return self.lab.ablate(self.config, "random.scheme=keyed", f"training.steps={epochs}",
                                   *records, *named(modes.split(",")), "--seeds", f"0..{seeds - 1}",
                                   workers=workers)
        return Program("qkvlab", setting, command(self.modes, self.seeds, self.epochs),
                       command("full", 1, 1))

    def pytorch(self, name, how, seeds):
        def command(modes, seeds, epochs):
            return self.lab.pytorch("sentiment_seeds.py", how, "--modes", modes, "--seeds", seeds,
                                    "--epochs", epochs)
        return self.lab.pytorch_programs(name, command(self.modes, seeds, self.epochs),
                                         command("full", 1, 1), self.seeds / seeds)

    def size(self):
        count = len(self.modes.split(","))
        title = f"eight sentences: {count} modes × {self.seeds} seeds × {self.epochs} epochs"
        return {"title": title, "unit": "steps", "work": count * self.seeds * self.epochs}

    def compared(self):
        core, machine = self.qkvlab("1 worker", workers=1), self.qkvlab("all workers")
        return Benchmark(
            "sentiment", programs=[
                core, machine, *self.pytorch("PyTorch, loop", "--loop", self.loop_seeds),
                *self.pytorch("PyTorch, stacked", "--stacked", self.seeds)],
            baseline=core, core=core, machine=machine, **self.size())

    def recorded(self):
        programs = [self.qkvlab(setting, 1, overrides) for setting, overrides in RECORDS.items()]
        return Benchmark("sentiment_records", programs=programs, baseline=programs[0],
                         **self.size())


class ProjectionSharing:
    """Two rules under four modes: the protocol of a study of shared projections."""
    config = "scripts/benchmark/projection_sharing.json"
    rules, modes = ("reverse", "sort"), ("full", "shared_qk", "shared_kv", "shared_qkv")
    length = 16

    def __init__(self, lab):
        self.lab = lab
        self.seeds, self.train, self.test, self.epochs = (
            (1, 256, 128, 1) if lab.quick else (3, 10000, 2000, 2))

    def qkvlab(self, setting, workers=None, records=()):
        def command(modes, seeds, train, test, epochs):
            return self.lab.ablate(self.config, f"task.train_examples={train}",
                                   f"task.test_examples={test}", f"training.epochs={epochs}",
                                   *records, *named(modes),
                                   "--seeds", f"0..{seeds - 1}", workers=workers)
        return Program("qkvlab", setting,
                       command(self.modes, self.seeds, self.train, self.test, self.epochs),
                       command(["full"], 1, 128, 128, 1))

    def pytorch(self):
        def command(rules, modes, seeds, train, test, epochs):
            return self.lab.pytorch("projection_sharing.py", "--rules", ",".join(rules), "--modes",
                                    ",".join(modes), "--seeds", seeds, "--train-examples", train,
                                    "--test-examples", test, "--epochs", epochs)
        return self.lab.pytorch_programs(
            "PyTorch", command(self.rules, self.modes, self.seeds, self.train, self.test,
                               self.epochs), command(self.rules, ["full"], 1, 128, 128, 1))

    def size(self):
        of_a_mode = len(self.rules) * self.seeds * self.epochs * self.train * self.length  # tokens
        flops = of_a_mode * sum(
            training_flops(self.lab, self.config, f"model.attention.mode={mode}")
            for mode in self.modes)
        title = (f"projection sharing: {len(self.rules)} rules × {len(self.modes)} modes × "
                 f"{self.seeds} seeds × {self.epochs} epochs of {self.train} sequences")
        return {"title": title, "unit": "tokens", "work": of_a_mode * len(self.modes),
                "flops": flops}

    def compared(self):
        core, machine = self.qkvlab("1 worker", workers=1), self.qkvlab("all workers")
        return Benchmark("projection_sharing", programs=[core, machine, *self.pytorch()],
                         baseline=core, core=core, machine=machine, **self.size())

    def recorded(self):
        programs = [self.qkvlab(setting, 1, overrides) for setting, overrides in RECORDS.items()]
        return Benchmark("projection_sharing_records", programs=programs, baseline=programs[0],
                         **self.size())


class CharLm:
    """Steps of the character model. Both evaluate at the end what is one batch of qkvlab's."""
    config = "configs/published/char_lm.json"
    batch, context = 12, 64

    def __init__(self, lab):
        self.lab = lab
        self.steps = 3 if lab.quick else 200

    def compared(self):
        def qkvlab(steps):
            # Fewer steps than those of warm-up are refused.
            warm_up = ["training.schedule.warmup_steps=0"] if steps <= 100 else []
            return [self.lab.qkvlab, "train", self.config, f"task.file={self.lab.text}",
                    f"training.steps={steps}", *warm_up, "training.evaluate.batches=1", "--out",
                    FOLDER]

        def pytorch(steps):
            return self.lab.pytorch("char_lm.py", self.lab.text, 0, "--steps", steps, "--windows",
                                    self.batch)

        tokens = self.steps * self.batch * self.context
        one = Program("qkvlab", "1 thread, its default", qkvlab(self.steps), qkvlab(1))
        return Benchmark(
            "char_lm", f"character model: {self.steps} steps", "tokens", tokens,
            [one, *self.lab.pytorch_programs("PyTorch", pytorch(self.steps), pytorch(1))],
            baseline=one, core=one, machine=one,
            flops=tokens * training_flops(self.lab, self.config, f"task.file={self.lab.text}"))


def benchmark(name, lab):
    if name == "char_lm":
        return CharLm(lab).compared()
    kind = Sentiment if name.startswith("sentiment") else ProjectionSharing
    return kind(lab).recorded() if name.endswith("_records") else kind(lab).compared()
