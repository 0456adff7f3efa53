"""Tables in plain columns, as qkvlab prints them."""
import statistics


def table(titles, rows, left=1):
    """The first `left` columns stand left, the others right."""
    lines = [titles, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    text = ""
    for line in lines:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(line, widths))]
        text += ("  " + "  ".join(cells)).rstrip() + "\n"
    return text


def rate_text(work, seconds):
    if seconds == 0:
        return "-"
    rate = work / seconds
    return f"{rate:.0f}" if rate < 1e4 else f"{rate / 1000:.1f} k"


def times(benchmark):
    """Every program's time for the whole work, and what that comes to."""
    titles = ["", "", "seconds", "least", "most", "of it start-up", f"{benchmark.unit}/s",
              "without start-up"]
    if benchmark.flops:
        titles.append("share of peak")
    rows = []
    for program in benchmark.programs:
        total = program.total()
        row = [program.name, program.setting, f"{program.median():.2f}", f"{min(total):.2f}",
               f"{max(total):.2f}", f"{statistics.median(program.start_up):.2f}",
               rate_text(benchmark.work, program.median()),
               rate_text(benchmark.work, program.median(start_up=False))]
        if benchmark.flops:
            row.append(f"{100 * share_of_peak(benchmark, program):.1f} %")
        rows.append(row)
    return table(titles, rows, left=2)


def share_of_peak(benchmark, program):
    """The FLOPs of training in all of its time, start-up and evaluation too, as a share of what one
    core reaches in sgemm."""
    return benchmark.flops / program.median() / (statistics.median(benchmark.peaks) * 1e9)


def quotient(one, other, start_up):
    """None where the other has done nothing but start."""
    seconds = other.median(start_up)
    return one.median(start_up) / seconds if seconds else None


def quotient_text(value):
    return "-" if value is None else f"{value:.2f}"


def comparisons(benchmark):
    """PyTorch's time / qkvlab's, of each PyTorch program: on one core (one thread against one
    worker), on the machine (what PyTorch does by default against all workers), and with the threads
    that are best for PyTorch against all workers."""
    found = []
    for name in dict.fromkeys(p.name for p in benchmark.programs if p.name != benchmark.core.name):
        settings = [p for p in benchmark.programs if p.name == name]
        single = next(p for p in settings if p.threads == 1)
        default = next(p for p in settings if p.threads is None)
        best = min((p for p in settings if p.threads is not None), key=lambda p: p.median())
        for start_up in (True, False):
            found.append({"program": name, "start_up": start_up,
                          "per_core": quotient(single, benchmark.core, start_up),
                          "per_machine": quotient(default, benchmark.machine, start_up),
                          "best": quotient(best, benchmark.machine, start_up),
                          "best_setting": best.setting})
    return found


def ratios(benchmark):
    titles = ["PyTorch's time / qkvlab's", "", "per core", "per machine", "its best threads", ""]
    return table(titles, [
        [found["program"], "with start-up" if found["start_up"] else "without start-up",
         *(quotient_text(found[key]) for key in ("per_core", "per_machine", "best")),
         f"({found['best_setting']})"] for found in comparisons(benchmark)], left=2)


def cost_of_records(benchmark):
    least = benchmark.baseline.median()
    return table(["qkvlab", f"time / {benchmark.baseline.setting}"],
                 [[p.setting, f"{p.median() / least:.3f}"] for p in benchmark.programs])


def notes(benchmark):
    """What else is to be known of the figures, a line each."""
    found = []
    if benchmark.peaks:
        peak = statistics.median(benchmark.peaks)
        found.append(f"peak: sgemm reaches {peak:.1f} GFLOP/s on one core")
    most = max(len(program.wall) for program in benchmark.programs)
    for program in benchmark.programs:
        if len(program.wall) < most:
            found.append(f"{program.name}, {program.setting}: measured {len(program.wall)} of "
                         f"{most} times, for it took more than twice as long as 1 thread")
    for name, scale in {p.name: p.scale for p in benchmark.programs if p.scale != 1}.items():
        found.append(f"{name}: 1/{scale:g} of the work was measured and multiplied; start-up, "
                     "which is paid once, was not")
    return found


def report(benchmark):
    text = f"{benchmark.name}\n{benchmark.title}\n\n{times(benchmark)}\n"
    text += ratios(benchmark) if benchmark.core else cost_of_records(benchmark)
    lines = notes(benchmark)
    return text + ("\n" if lines else "") + "".join(f"  {line}\n" for line in lines)
