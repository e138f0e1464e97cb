# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid benchmarks/cpu/compare.py [--threads N] [--only WORDS...] [--triton PATH] [--csv FILE] [--plot FILE.svg]: kernels in Triton's
syntax on this machine's CPU beside PyTorch's operators, NumPy's products, Numba's loops and loops in C++, in one process, in
turns, with the same number of threads; models by both of Inductor's back ends; and Triton's interpreter, in a process of its own.

A row shows the best and the median of all turns in milliseconds, the peer's time over ours by medians (above 1, Nereid is
faster) with its least and greatest over the turns, and what the row achieved. PyTorch's threads spin for a while after
their work, which would slow down who comes next: a pause lies between turns. Which core's code the peers run is printed
first; code for any core is no peer, and refused."""

import argparse
import os
import sys

import cpp_loops
import interpreted
import loops
import models
import more_rows
import peers
import plot
import product_rows
import rows
import torch
import unchosen_rows
from table import Table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORDS", help="rows whose names hold one of these")
    parser.add_argument("--triton", help="folders, as in PYTHONPATH, of a Triton and a NumPy for its interpreter, unless Python finds them")
    parser.add_argument("--csv", help="a file for the rows")
    parser.add_argument("--plot", help="a file for a picture of the ratios, SVG")
    parser.add_argument("--generic-peers", action="store_true", help="go on although a peer runs code for any core")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    os.environ["NEREID_THREADS"] = str(arguments.threads)
    found = peers.Peers(arguments.threads)
    print(f"{arguments.threads} threads.", *found.describe(), sep="\n")
    if found.generic() and not arguments.generic_peers:
        sys.exit(f"{found.generic()}: figures beside that mean nothing (--generic-peers shows them)")
    torch.manual_seed(0)
    if loops.numba:
        loops.set_threads(arguments.threads)
    table = Table(arguments.only)
    print(f"Memory gives {table.memory / 1e9:.1f} GB/s: the best of copies and sums of arrays of 128 MiB, PyTorch's and Nereid's")
    table.head()
    rows.products(table, found)
    product_rows.batches(table)
    product_rows.groups(table)
    product_rows.fused(table)
    product_rows.beside_numpy(table, found)
    rows.attention(table)
    rows.decoding(table)
    rows.elementwise(table)
    rows.rows_of_tiles(table)
    more_rows.norms(table)
    more_rows.dropout(table)
    more_rows.pictures(table)
    more_rows.orders_and_scans(table)
    unchosen_rows.of_elements(table)
    unchosen_rows.of_rows(table)
    rows.beside_numba(table)
    cpp_loops.beside_loops(table)
    models.beside_inductor(table)
    interpreted.beside_interpreter(table, arguments.triton)
    if arguments.csv and table.rows:
        table.write_csv(arguments.csv)
    if arguments.plot and table.rows:
        title = f"Time of the peer over Nereid's, {arguments.threads} threads (right of 1: Nereid is faster)"
        plot.draw([(row["name"], row["ratio"], row["least"], row["greatest"]) for row in table.rows], title, arguments.plot)
    if not all(row["right"] for row in table.rows):
        sys.exit("some results are wrong")


if __name__ == "__main__":
    main()
