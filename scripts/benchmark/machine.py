"""What the figures were measured on and with."""
import datetime
import json
import os
import platform
import re

from .program import Failure, run


def cores():
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def processor():
    """The fields of lscpu that say what one core can do."""
    text = run(["env", "LC_ALL=C", "lscpu"])[0]
    fields = dict(re.findall(r"^([^:]+):\s+(.*)$", text, re.MULTILINE))
    wanted = ("Architecture", "Model name", "CPU family", "Model", "Stepping", "CPU max MHz",
              "L1d cache", "L2 cache", "L3 cache", "Hypervisor vendor")
    return {name: fields[name] for name in wanted if name in fields}


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"processor": processor(), "cores": cores(), "memory_gib": round(memory / 2**30, 1),
            "system": platform.platform(), "load_1_min": os.getloadavg()[0]}


def today():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


class Doctor:
    """What `qkvlab doctor` says: the LibTorch and BLAS in use, and the peak of one core."""

    def __init__(self, qkvlab):
        self.said = json.loads(run([qkvlab, "doctor", "--format", "json"])[0])

    def sgemm_gflops(self):
        return self.said["sgemm"]["gflops"]


def versions(qkvlab, python):
    """Of all that is measured. A Failure where PyTorch is missing."""
    doctor = Doctor(qkvlab)
    question = "import torch; print(torch.__version__, torch.get_num_threads())"
    try:
        pytorch, threads = run([python, "-c", question])[0].split()
    except Failure:
        raise Failure(f"{python} has no PyTorch to compare with: apt-get install python3-torch, or "
                      "name another Python by --python") from None
    return {"qkvlab": run([qkvlab, "--version"])[0].strip(),
            "libtorch": doctor.said["libtorch"], "blas": doctor.said["blas"]["name"],
            "pytorch": pytorch, "pytorch_default_threads": int(threads),
            "python": run([python, "--version"])[0].strip()}
