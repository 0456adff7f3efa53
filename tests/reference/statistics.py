#!/usr/bin/env python3
"""What the statistics in src/statistics/ are held against: SciPy's numbers, or where SciPy has none a
plain loop or integral.

Prints statistics.json, which is stored beside this file; tests/scripts/statistics_reference_test.sh
computes it anew and compares.
Run with Debian 12's python3-scipy (1.10): /usr/bin/python3 statistics.py >statistics.json
"""
import json
import math
import random

import numpy as np
from scipy import integrate, stats

RESAMPLES = 199_999


def samples():
    """Named samples, rounded so that they are the same wherever they are drawn."""
    source = random.Random(20)
    shapes = {"normal": lambda: source.gauss(0.3, 1), "skewed": lambda: math.exp(source.gauss(0, 1)),
              "two_humped": lambda: source.gauss(3 if source.random() < 0.3 else 0, 0.5)}
    drawn = {f"{shape}_{n}": [round(draw(), 6) for _ in range(n)]
             for shape, draw in shapes.items() for n in (2, 3, 6, 7, 10, 13, 30, 101)}
    # Differences of accuracies over 50 examples: zeros and ties.
    drawn["tied_400"] = [source.randint(-9, 12) / 50 for _ in range(400)]
    drawn["equal_4"] = [0.1] * 4
    return drawn


def size(name):
    return int(name.rpartition("_")[2])


def iqm(values, axis=-1):
    return stats.trim_mean(values, 0.25, axis=axis)


def location(values):
    return {"median": np.median(values), "iqm": iqm(values)}


def t_quantile(p, df):
    """SciPy's is off by up to 3e-9 of itself; its distribution function is not, so Newton mends it."""
    quantile = stats.t.ppf(p, df)
    for _ in range(3):
        quantile -= (stats.t.cdf(quantile, df) - p) / stats.t.pdf(quantile, df)
    return quantile


def mean_interval(values):
    mean = np.mean(values)
    reach = t_quantile(0.975, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values))
    by_scipy = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert np.allclose(by_scipy, (mean - reach, mean + reach), rtol=0, atol=1e-8 * reach)
    return {"low": mean - reach, "high": mean + reach}


def median_rank(n):
    """The largest k whose ranks k and n + 1 - k cover the median with 95 % or more; 0: none."""
    ranks = [k for k in range(1, n // 2 + 1) if 1 - 2 * stats.binom.cdf(k - 1, n, 0.5) >= 0.95]
    return max(ranks, default=0)


def wilcoxon(values, method):
    found = stats.wilcoxon(values, method=method)
    return {"statistic": found.statistic, "p": found.pvalue}


def sign_flip(values):
    return stats.permutation_test((np.array(values),), np.mean, permutation_type="samples",
                                  n_resamples=np.inf, alternative="two-sided").pvalue


def welch(a, b):
    found = stats.ttest_ind(a, b, equal_var=False)
    parts = [np.var(values, ddof=1) / len(values) for values in (a, b)]
    df = sum(parts)**2 / sum(part**2 / (len(values) - 1) for part, values in zip(parts, (a, b)))
    difference = np.mean(a) - np.mean(b)
    reach = t_quantile(0.975, df) * math.sqrt(sum(parts))
    return {"difference": difference, "p": found.pvalue, "df": df,
            "low": difference - reach, "high": difference + reach}


def power(d_z, n, alpha=0.05):
    """By integration over the standard deviation that is found; SciPy's nct must agree."""
    df, shift = n - 1, d_z * math.sqrt(n)
    critical = t_quantile(1 - alpha / 2, df)

    def given(chi):
        reach = critical * chi / math.sqrt(df)
        return (stats.norm.cdf(shift - reach) + stats.norm.cdf(-shift - reach)) * stats.chi.pdf(chi, df)

    center = math.sqrt(df)
    value = integrate.quad(given, max(0, center - 12), center + 12, points=[center], epsabs=1e-13,
                           epsrel=1e-12, limit=500)[0]
    # That alone would prove little: SciPy's is Boost's, as qkvlab's is.
    with np.errstate(all="ignore"):
        by_nct = stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift)
    # Newer ones give NaN where almost nothing is left in a tail.
    assert math.isnan(by_nct) or abs(value - by_nct) < 1e-9, (d_z, n, value, by_nct)
    return value


def seeds_for_power(d_z, wanted):
    below, enough = 1, 2**10
    while enough - below > 1:
        n = (below + enough) // 2
        below, enough = (below, n) if power(d_z, n) >= wanted else (n, enough)
    return enough


def holm(p):
    """By the definition: the largest that any as small as it came to."""
    order = sorted(p)
    return [min(1, max((len(p) - order.index(q)) * q for q in p if q <= one)) for one in p]


def variance(values, axis=-1):
    """About the mean of the values themselves: resamples vary less, so the bias is corrected for."""
    return np.var(values, axis=axis)


def bca(statistic, values):
    """SciPy's interval and, for each end, what it may be with other resamples.

    An end is the quantile of the resamples at a level that depends on them too, by the bias. The
    standard error of an end, as a level, is at most the quantile's, sqrt(p(1-p)/B), plus the share's,
    at most sqrt(1/4B), times the slope of the level in the share. Its bounds are the quantiles five
    times that below and above; sqrt(2) stands for the two sets of resamples that are compared.
    """
    found = stats.bootstrap((np.array(values),), statistic, vectorized=True, n_resamples=RESAMPLES,
                            batch=10_000, method="BCa", random_state=7)
    interval, resamples = found.confidence_interval, np.sort(found.bootstrap_distribution)
    jackknife = np.array([statistic(np.delete(values, i)) for i in range(len(values))])
    deviations = jackknife.mean() - jackknife
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum()**1.5)
    whole = statistic(values)
    share = ((resamples < whole).mean() + (resamples <= whole).mean()) / 2

    def level(of_share, p):
        bias = stats.norm.ppf(of_share)
        reach = bias + stats.norm.ppf(p)
        return stats.norm.cdf(bias + reach / (1 - acceleration * reach))

    result = {"low": interval.low, "high": interval.high}
    for end, p in (("low", 0.025), ("high", 0.975)):
        at = level(share, p)
        assert math.isclose(np.quantile(resamples, at), result[end], rel_tol=1e-12), "not SciPy's level"
        slope = abs(level(share + 1e-4, p) - level(share - 1e-4, p)) / 2e-4
        error = math.sqrt(2 / RESAMPLES) * (math.sqrt(at * (1 - at)) + slope / 2)
        result[end + "_bounds"] = list(np.quantile(resamples, [at - 5 * error, at + 5 * error]))
    return result


def reference():
    drawn = samples()
    shaped = {name: values for name, values in drawn.items() if name != "equal_4"}
    exact = [name for name in shaped if 3 <= size(name) <= 30]
    for name in exact:
        assert len({abs(value) for value in drawn[name]}) == size(name), f"{name} has ties"
    p_values = [[0.01, 0.04, 0.03, 0.005], [0.02, 0.02, 0.02], [0.5, 0.9, 0.0, 1.0, 0.013], [0.04]]
    pairs = [("normal_6", "skewed_10"), ("skewed_30", "two_humped_101"), ("normal_2", "normal_3")]
    return {
        "samples": drawn,
        "location": {name: location(values) for name, values in drawn.items()},
        "mean_interval": {name: mean_interval(values) for name, values in shaped.items()},
        "median_rank": [{"n": n, "rank": median_rank(n)}
                        for n in [*range(1, 41), 99, 100, 1000, 1001, 5000]],
        "wilcoxon_exact": {name: wilcoxon(drawn[name], "exact") for name in exact},
        "wilcoxon_approximate": {"tied_400": wilcoxon(drawn["tied_400"], "approx")},
        "sign_flip": {name: sign_flip(drawn[name]) for name in shaped if size(name) <= 13},
        "welch": [{"a": a, "b": b, **welch(drawn[a], drawn[b])} for a, b in pairs],
        "student_t": [{"p": p, "df": df, "quantile": t_quantile(p, df)}
                      for p in (1e-6, 0.025, 0.3, 0.975, 0.9999)
                      for df in (1, 2, 4.7, 29, 1000.5, 1e9)],
        "normal": [{"p": p, "quantile": stats.norm.ppf(p)} for p in (1e-9, 0.025, 0.5, 0.6, 0.975)],
        "power": [{"d_z": d_z, "n": n, "power": power(d_z, n)}
                  for d_z in (0, 0.02, 0.3, 1, 2.5, 8) for n in (2, 3, 6, 10, 30, 300, 3000)],
        "seeds_for_power": [{"d_z": d_z, "power": wanted, "n": seeds_for_power(d_z, wanted)}
                            for d_z in (0.15, 0.3, 0.5, 0.8, 1.2, 3, 20) for wanted in (0.8, 0.95)],
        "holm": [{"p": p, "adjusted": holm(p)} for p in p_values],
        "bca_resamples": RESAMPLES,
        "bca_iqm": {name: bca(iqm, drawn[name])
                    for name in ("normal_10", "skewed_10", "normal_30", "skewed_30", "two_humped_30")},
        "bca_variance": {name: bca(variance, drawn[name]) for name in ("normal_10", "skewed_30")},
    }


def differences(one, other, place=""):
    """The places where `one` reference differs from `other`: a number by more than 1e-10 of itself, an
    interval from random resamples by more than their Monte Carlo error (another version of NumPy may
    draw others)."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [f"{place}: other keys"]
        if "low_bounds" in one:
            return [f"{place}.{end}" for end in ("low", "high")
                    if not one[end + "_bounds"][0] <= other[end] <= one[end + "_bounds"][1]]
        return [found for key in one for found in differences(one[key], other[key], f"{place}.{key}")]
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return [f"{place}: another length"]
        return [found for i, (a, b) in enumerate(zip(one, other))
                for found in differences(a, b, f"{place}[{i}]")]
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return [] if math.isclose(one, other, rel_tol=1e-10, abs_tol=1e-14) else [
            f"{place}: {one}, {other}"]
    return [] if one == other else [f"{place}: {one}, {other}"]


def main():
    # One sample or case a line, so that changes can be read.
    sections = []
    for name, section in reference().items():
        if isinstance(section, dict):
            lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in section.items()]
            sections.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
        elif isinstance(section, list):
            sections.append(f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, section)) + "\n]")
        else:
            sections.append(f"{json.dumps(name)}: {json.dumps(section)}")
    print("{\n" + ",\n".join(sections) + "\n}")


if __name__ == "__main__":
    main()
