"""An experiment for the test of pages: three variants, one with a name that means harm, six seeds."""

import json
import os

HOSTILE = "</script><img src=x onerror='window.hit=1'><!--\u2028\u202e\"&"
VARIANTS = ["full", HOSTILE, "none"]
TOKENS = ["我", "机器人", "", HOSTILE, "a long token that goes on and on and on"]
STEPS, SEEDS, LAYERS, HEADS, SAMPLES = [0, 50, 100], range(6), range(2), range(2), range(2)


def loss_at(variant, seed, step):
    """A course with a seed's own level, and a variant's."""
    return (variant + 1) * (1 + seed / 8) * 2 ** (-step / 20)


def weights_of(variant, seed, step, layer, head, sample):
    """Rows that sum to 1; each map is another one."""
    shift = variant + seed + step + 2 * layer + 3 * head + 5 * sample
    rows = [[1 + (shift + 7 * query + 3 * key * key) % 11 for key in range(len(TOKENS))] for query in range(len(TOKENS))]
    return [[value / sum(row) for value in row] for row in rows]


def records():
    for v, variant in enumerate(VARIANTS):
        for seed in SEEDS:
            run = f"{v}-{seed}"
            yield {"type": "run", "run": run, "schema": 1, "experiment": "by hand " + HOSTILE, "variant": variant,
                   "seed": seed, "config": {"record": {}, "model": {"attention": {"mode": variant}}, "random": {"seed": seed}},
                   "parameters": {"total": 10, "attention": 5}, "initial_digests": {}, "replicas": 1,
                   "environment": {"cpu": HOSTILE}}
            for step in range(1, 101):
                yield {"type": "step", "run": run, "step": step, "loss": loss_at(v, seed, step), "lr": 0.1,
                       "grad_norm": 1 + loss_at(v, seed, step)}
            for step in STEPS:
                yield {"type": "evaluation", "run": run, "step": step, "split": "test", "loss": loss_at(v, seed, step),
                       "accuracy": 1 - (seed + v) / 20}
                for layer in LAYERS:
                    for head in HEADS:
                        for sample in SAMPLES:
                            if v == 2:
                                continue
                            yield {"type": "attention", "run": run, "step": step, "layer": layer, "head": head,
                                   "sample": sample, "tokens": TOKENS, "entropy": [1.5] * len(TOKENS), "diagonal": 0.2,
                                   "weights": weights_of(v, seed, step, layer, head, sample)}
            yield {"type": "end", "run": run, "status": "completed", "reason": "", "steps": 100, "metrics": {},
                   "batch_digest": "", "wall_s": 1, "replicas": 1, "peak_rss_mb": 1}


def write_experiment(folder):
    """A folder as `ablate` writes it, a group for each variant."""
    os.makedirs(folder + "/records")
    runs = [[f"{v}-{seed}" for seed in SEEDS] for v in range(len(VARIANTS))]
    config = {"name": "by hand", "record": {}, "ablation": {"baseline": VARIANTS[0]}}
    with open(folder + "/experiment.json", "w", encoding="utf-8") as file:
        json.dump({"schema": 1, "config": config, "identity": {}, "environment": {"cpu": HOSTILE},
                   "variants": [{"name": variant, "identity": {}} for variant in VARIANTS],
                   "groups": [{"variant": variant, "runs": [{"run": run, "seed": int(run.split("-")[1])} for run in of_variant]}
                              for variant, of_variant in zip(VARIANTS, runs)]}, file, ensure_ascii=False)
    files = {run: open(f"{folder}/records/{of_variant[0]}.jsonl", "a", encoding="utf-8")
             for of_variant in runs for run in of_variant}
    for record in records():
        files[record["run"]].write(json.dumps(record, ensure_ascii=False) + "\n")
        files[record["run"]].flush()
    for file in files.values():
        file.close()
