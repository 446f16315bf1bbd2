"""What several trials of one task say: pass@k and best-of-k, without bias and without sampling."""

from __future__ import annotations

import math
from collections.abc import Sequence


def pass_at_k(trials: int, passed: int, k: int) -> float:
    """Probability that at least one of `k` trials passes: 1 - C(n-c, k) / C(n, k) (Chen et al., 2021).

    Raises:
        ValueError: k is not in 1 to `trials`, or `passed` not in 0 to `trials`.
    """
    if not 1 <= k <= trials or not 0 <= passed <= trials:
        raise ValueError(f"pass@{k} of {passed} passed in {trials} trials")
    return 1.0 - math.comb(trials - passed, k) / math.comb(trials, k)


def best_of_k(values: Sequence[float], k: int) -> float:
    """Expected largest of `k` of the `values`, drawn without replacement: an order statistic, so no bias.

    Raises:
        ValueError: k is not in 1 to the number of values.
    """
    count = len(values)
    if not 1 <= k <= count:
        raise ValueError(f"best of {k} in {count}")
    ways = math.comb(count, k)
    # The i-th smallest (from 1) is the largest of k in C(i-1, k-1) of all subsets.
    return math.fsum(v * (math.comb(i - 1, k - 1) / ways) for i, v in enumerate(sorted(values), start=1))
