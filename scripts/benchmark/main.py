"""The command line of scripts/bench."""
import argparse
import json
import os
import shlex
import signal
import sys

from . import tables
from .benchmarks import NAMES, Lab, benchmark
from .machine import Doctor, machine, today, versions
from .program import ROOT, Failure, run


def say(line):
    print(f"bench: {line}", file=sys.stderr, flush=True)


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures qkvlab against PyTorch programs that do the same work, in turns on "
        "this machine. Tables go to stdout, every single time to --out.")
    parser.add_argument("--repeats", type=int, metavar="N", help="default 5; with --quick 1")
    parser.add_argument("--only", metavar="A,B", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--text", metavar="FILE", help="the text that char_lm learns")
    parser.add_argument("--out", metavar="FILE.json", help="where the single times go")
    parser.add_argument("--quick", action="store_true",
                        help="a little of each: shows that all runs; its times say nothing")
    parser.add_argument("--qkvlab", metavar="PROGRAM",
                        help="default: build/release/bin/qkvlab, brought up to date")
    parser.add_argument("--python", metavar="PROGRAM", default="/usr/bin/python3",
                        help="that has PyTorch (default %(default)s)")
    options = parser.parse_args(arguments)
    options.only = options.only.split(",") if options.only else list(NAMES)
    for name in options.only:
        if name not in NAMES:
            parser.error(f"--only: unknown '{name}'; allowed: {', '.join(NAMES)}")
    if options.repeats is None:
        options.repeats = 1 if options.quick else 5
    if options.repeats < 1:
        parser.error("--repeats: must be at least 1")
    if options.text:
        options.text = os.path.abspath(options.text)
    return options


def chosen(options):
    if "char_lm" in options.only and not options.text:
        say("char_lm is NOT measured: it needs a text, --text FILE (data/README.md)")
        return [name for name in options.only if name != "char_lm"]
    return options.only


def built_qkvlab():
    """Built from what is there, and started without the launcher."""
    run([str(ROOT / "scripts/qkvlab"), "--version"])
    return str(ROOT / "build/release/bin/qkvlab")


def is_beaten(program, programs):
    """Whether its threads, when first tried, took more than twice as long as one thread."""
    if program.threads in (None, 1) or not program.wall:
        return False
    single = next(p for p in programs if p.name == program.name and p.threads == 1)
    return program.wall[0] > 2 * single.wall[0]


def twin_of(program, programs, default_threads):
    """The program that is the same, where PyTorch takes as many threads by itself as it is told."""
    if program.threads is not None:
        return None
    return next((p for p in programs if p.name == program.name and p.threads == default_threads),
                None)


def measure(name, lab, repeats, default_threads):
    """All programs one after the other, again and again, so that a machine that grows slower grows
    slower for all; every second time in the other direction. Threads that are beaten are tried only
    once."""
    measured = benchmark(name, lab)
    for repeat in range(repeats):
        if measured.flops:
            measured.peaks.append(Doctor(lab.qkvlab).sgemm_gflops())
        for program in measured.programs[::1 if repeat % 2 == 0 else -1]:
            twin = twin_of(program, measured.programs, default_threads)
            if twin:  # the same lists: not measured twice
                program.wall, program.start_up = twin.wall, twin.start_up
                continue
            if is_beaten(program, measured.programs):
                continue
            program.measure()
            say(f"{name} {repeat + 1}/{repeats}: {program.name}, {program.setting}: "
                f"{program.wall[-1]:.2f} s, start-up {program.start_up[-1]:.2f} s")
    return measured


def as_json(measured):
    found = {"title": measured.title, "unit": measured.unit, "work": measured.work,
             "flops": measured.flops, "sgemm_gflops": measured.peaks, "programs": []}
    for program in measured.programs:
        found["programs"].append({
            "name": program.name, "setting": program.setting,
            "command": shlex.join(program.command),
            "start_up_command": shlex.join(program.start_up_command),
            "omp_num_threads": program.threads, "scale": program.scale,
            "wall_s": program.wall, "start_up_s": program.start_up, "total_s": program.total(),
            "median_s": program.median(), "median_without_start_up_s": program.median(False)})
        if measured.flops:
            found["programs"][-1]["share_of_peak"] = tables.share_of_peak(measured, program)
    if measured.core:
        found["pytorch_time_over_qkvlab_time"] = tables.comparisons(measured)
    return found


def bench(options):
    names = chosen(options)
    qkvlab = os.path.abspath(options.qkvlab) if options.qkvlab else built_qkvlab()
    lab = Lab(qkvlab, options.python, options.text, options.quick)
    found = {"date": today(), "machine": machine(), "versions": versions(qkvlab, options.python),
             "repeats": options.repeats, "quick": options.quick, "benchmarks": {}}
    facts = found["versions"]
    print(f"{found['date']}  {found['machine']['processor'].get('Model name', '')}, "
          f"{found['machine']['cores']} cores, {found['machine']['memory_gib']} GiB\n"
          f"{facts['qkvlab']} on LibTorch {facts['libtorch']}, {facts['blas']}\n"
          f"PyTorch {facts['pytorch']}, {facts['pytorch_default_threads']} threads by default\n"
          f"medians of {options.repeats}")
    if options.quick:
        print("QUICK: shows that all runs; the times say nothing")
    if found["machine"]["load_1_min"] > 0.5:
        say(f"the machine is not idle (load {found['machine']['load_1_min']:.1f}): the times will "
            "suffer from what else it does")
    for name in names:
        measured = measure(name, lab, options.repeats, facts["pytorch_default_threads"])
        print("\n" + tables.report(measured), end="", flush=True)
        found["benchmarks"][name] = as_json(measured)
        if options.out:  # after each, for what comes later may fail
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(found, file, indent=1)
                file.write("\n")


def main(arguments=None):
    # So that the program that runs is ended, and its folder removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        bench(options_of(arguments))
    except Failure as failure:
        say(failure)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
