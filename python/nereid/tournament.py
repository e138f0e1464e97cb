# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of several is fastest, without timing all of them at length."""

# Milliseconds of calls that do not count and of those that do. A call of 100 us, what overwrites the caches before it
# counted in, is timed 100 and 250 times, of whose medians neighbours differ by some percent.
FIRST_ROUND, FINAL_ROUND = (3, 10), (3, 25)
# Whoever is so much slower than the fastest in the first round is not in the final one.
NEAR = 1.1


def find_fastest(contenders, time):
    """The fastest, and the times of all. `time(contender, warmup, rep)` gives a list whose first is what counts; infinity
    is a contender that failed."""
    times = {each: time(each, *FIRST_ROUND) for each in contenders}
    best = min(times.values())[0]
    finalists = [each for each, found in times.items() if found[0] <= best * NEAR]
    if len(finalists) > 1 and best < float("inf"):
        times |= {each: time(each, *FINAL_ROUND) for each in finalists}
    return min(finalists, key=times.get), times
