# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Nereid with upstream Triton on random kernels. See README.md."""

import argparse
import os
import sys

import environment


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 tests/referee", description=__doc__)
    parser.add_argument("contest", choices=["types", "values"])
    parser.add_argument("--count", type=int, default=20000, help="cases (default: 20000)")
    parser.add_argument("--first", type=int, default=0, help="index of the first case")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--show", type=int, default=20, help="differences printed of a kind")
    parser.add_argument("--nereid", help="the binary (default: the newest under build/)")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    environment.enter()
    # Upstream decides when it is imported whether to compile or to interpret.
    if options.contest == "values":
        os.environ["TRITON_INTERPRET"] = "1"
        from value_contest import ValueContest as contest
    else:
        os.environ.pop("TRITON_INTERPRET", None)
        from type_contest import TypeContest as contest
    import campaign

    indices = range(options.first, options.first + options.count)
    binary = environment.find_nereid(options.nereid)
    is_clean = campaign.run(contest, options.seed, indices, options.jobs, binary, options.show)
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
