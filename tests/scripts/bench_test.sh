#!/usr/bin/env bash
# Tests that scripts/bench measures all that it names, that its arithmetic is right, and that the
# PyTorch programs beside it compute what qkvlab and the published results say.
#   bench_test.sh BUILD          BUILD: a build folder in which the programs are built
set -euo pipefail

project=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
qkvlab=$(readlink -f "$1")/bin/qkvlab
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 TMPDIR=$sandbox/temporary
mkdir "$TMPDIR"
bench=$project/scripts/bench

fail() {
  echo "$1"
  exit 1
}

# What needs no PyTorch.
/usr/bin/python3 - "$project" <<'END'
import json
import os
import sys

project = sys.argv[1]
sys.path.insert(0, project + "/scripts")
from benchmark.benchmarks import Benchmark
from benchmark.main import is_beaten
from benchmark.program import Program, environment
from benchmark.tables import comparisons, share_of_peak

# A third of the work in 4 s, of which 1 s is start-up: the whole takes 3 * 3 + 1 s.
scaled = Program("PyTorch", "1 thread", [], [], 1, 3, wall=[4, 4, 40], start_up=[1, 1, 1])
assert scaled.work() == [9, 9, 117], scaled.work()
assert [round(total, 9) for total in scaled.total()] == [10, 10, 118], scaled.total()
two = Program("PyTorch", "2 threads", [], [], 2, wall=[5], start_up=[1])
default = Program("PyTorch", "default", [], [], None, wall=[8], start_up=[2])
core = Program("qkvlab", "1 worker", [], [], wall=[4], start_up=[1])
every = Program("qkvlab", "all workers", [], [], wall=[2], start_up=[0.5])
both = Benchmark("", "", "steps", 100, [core, every, scaled, two, default], core, core, every,
                 flops=2e10, peaks=[9, 10, 11])
with_start, without = comparisons(both)
assert (with_start["per_core"], with_start["per_machine"]) == (10 / 4, 8 / 2), with_start
assert (with_start["best"], with_start["best_setting"]) == (5 / 2, "2 threads"), with_start
assert (without["per_core"], without["per_machine"]) == (9 / 3, 6 / 1.5), without
slow = Program("PyTorch", "2 threads", [], [], 2, wall=[9], start_up=[1])
assert is_beaten(slow, [scaled, slow]) and not is_beaten(two, [scaled, two])
assert not is_beaten(scaled, [scaled, slow]) and not is_beaten(default, [scaled, default])
assert share_of_peak(both, core) == 0.5  # 20 GFLOP in 4 s, in which 40 could be done

os.environ.update(OMP_NUM_THREADS="7", OPENBLAS_NUM_THREADS="7")
assert "OMP_NUM_THREADS" not in environment(None), "PyTorch's default is not PyTorch's"
assert environment(2)["OMP_NUM_THREADS"] == "2"
assert "OPENBLAS_NUM_THREADS" not in environment(2)


def load(path):
    with open(f"{project}/{path}", encoding="utf-8") as file:
        return json.load(file)


measured = load("scripts/benchmark/projection_sharing.json")
published = load("configs/published/projection_sharing.json")
del measured["ablation"]
assert measured["random"].pop("scheme") == "keyed"
del published["random"]["scheme"]
assert measured == published, "the protocol that is measured is not the one that is published"
END

if "$bench" --only sentiments 2>"$sandbox/talk"; then fail 'measures what there is not'; fi
grep -q "unknown 'sentiments'; allowed: sentiment, " "$sandbox/talk" || fail "$(<"$sandbox/talk")"
if "$bench" --quick --qkvlab "$qkvlab" --python /bin/false >"$sandbox/out" 2>"$sandbox/talk"; then
  fail 'compares with a PyTorch that is not there'
fi
grep -q 'char_lm is NOT measured.*--text FILE' "$sandbox/talk" ||
  fail 'is silent on what it leaves out'
grep -q 'apt-get install python3-torch' "$sandbox/talk" || fail 'does not say what to install'
[[ $(wc -l <"$sandbox/talk") == 2 && ! -s $sandbox/out ]] || fail "says more: $(<"$sandbox/talk")"

if ! /usr/bin/python3 -c 'import torch' 2>"$sandbox/talk"; then
  echo 'NOT TESTED: the PyTorch programs and a small run, for want of the package python3-torch'
  exit 77
fi

/usr/bin/python3 - "$project" <<'END'
import csv
import json
import sys

project = sys.argv[1]
sys.path.insert(0, project + "/scripts/pytorch")
import projection_sharing
import sentiment_seeds as seeds

data = seeds.read(project + "/data/sentiment8.tsv")
with open(project + "/tests/reference/sentiment8_seed31.json", encoding="utf-8") as file:
    reference = json.load(file)["curve"]
model = seeds.draw("full", 31, data)
seeds.train(model, data[1][:1], data[2][:1], 1)  # the reference's single step before its epochs
curve, _ = seeds.train(model, data[1], data[2], len(reference))
for epoch, loss in zip(reference, curve.tolist()):
    assert abs(epoch["loss"] - loss) < 1e-6, (epoch, loss)

finals = set()
for mode in seeds.LEARNED:
    one_by_one = seeds.train_one_by_one(mode, range(3), 100, data)
    stacked = seeds.train_stacked(mode, range(3), 100, data)
    for one, other in [(one_by_one[0], stacked[0]), *zip(one_by_one[1], stacked[1])]:
        assert one.shape == other.shape, (mode, one.shape, other.shape)
        assert (one - other).abs().max() < 1e-5, (mode, one, other)
    finals.update(one_by_one[0][-1].tolist())
assert len(finals) == 3 * len(seeds.LEARNED), "modes or seeds that are the same"

row = ["Q=K!=V", "REVERSE", "64", "2", "2", "16", "0"]
with open(project + "/tests/reference/projection_sharing_runs.csv", encoding="utf-8") as file:
    [published] = [accuracy for *run, accuracy in csv.reader(file) if run == row]
accuracy = projection_sharing.train("reverse", "shared_qk", 0, 10000, 2000, 2)
assert f"{accuracy:.4f}" == published, (accuracy, published)
END

printf 'to be or not to be, that is the question\n%.0s' {1..300} >"$sandbox/a text.txt"
"$bench" --quick --qkvlab "$qkvlab" --text "$sandbox/a text.txt" --out "$sandbox/out.json" \
  >"$sandbox/tables" 2>"$sandbox/talk" || fail "$(<"$sandbox/talk")"
[[ -z $(ls "$TMPDIR") ]] || fail "leaves something behind: $(ls "$TMPDIR")"
/usr/bin/python3 - "$sandbox" <<'END'
import json
import sys

with open(sys.argv[1] + "/out.json", encoding="utf-8") as file:
    found = json.load(file)
with open(sys.argv[1] + "/tables", encoding="utf-8") as file:
    tables = file.read()
assert found["machine"]["cores"] >= 1 and found["versions"]["pytorch"], found
programs = {"sentiment": {"qkvlab", "PyTorch, loop", "PyTorch, stacked"},
            "projection_sharing": {"qkvlab", "PyTorch"}, "char_lm": {"qkvlab", "PyTorch"},
            "sentiment_records": {"qkvlab"}, "projection_sharing_records": {"qkvlab"}}
assert set(found["benchmarks"]) == set(programs), found["benchmarks"].keys()
for name, benchmark in found["benchmarks"].items():
    assert f"\n{name}\n" in tables, tables
    assert {program["name"] for program in benchmark["programs"]} == programs[name], name
    for program in benchmark["programs"]:
        assert len(program["wall_s"]) == len(program["start_up_s"]) == 1, program
        assert min(program["wall_s"] + program["start_up_s"]) > 0, program
for name in ("projection_sharing", "char_lm"):
    for program in found["benchmarks"][name]["programs"]:
        assert 0 < program["share_of_peak"] < 1, program
END
