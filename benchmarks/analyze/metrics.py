# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compare.py` compares: a name, ncu's metrics, and what ours is of a report of `nereid analyze`."""


def accesses(report, kinds):
    return [entry for entry in report["accesses"] if entry["kind"] in kinds]


def total(report, kinds, key):
    return sum(entry[key] for entry in accesses(report, kinds))


def executed(report, *units):
    """Of machine code where PATH has ptxas and nvdisasm: what the driver makes of the same PTX may differ by its version."""
    return sum(line[unit] for line in report["instructions"] for unit in line if unit != "place" and (not units or unit in units))


# ncu's metrics are added up; those that a GPU lacks count as nothing. cp.async counts as a load there.
METRICS = {
    "load requests": (["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], lambda r: total(r, ["load", "copy"], "requests")),
    "load sectors": (["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], lambda r: total(r, ["load", "copy"], "sectors")),
    "store requests": (["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"], lambda r: total(r, ["store"], "requests")),
    "store sectors": (["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"], lambda r: total(r, ["store"], "sectors")),
    "shared wavefronts": (["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
                          lambda r: sum(entry["wavefronts"] for entry in r["shared"])),
    "shared requests": (["smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
                         "smsp__inst_executed_op_ldsm.sum", "smsp__inst_executed_op_stsm.sum"],
                        lambda r: sum(entry["requests"] for entry in r["shared"])),
    "sectors of L2": (["lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum",
                       "lts__t_sectors_srcunit_tex_op_red.sum", "lts__t_sectors_srcunit_tex_op_atom.sum"],
                      lambda r: r["launch"]["l2_bytes"] / 32),
    "memory bytes": (["dram__bytes_read.sum", "dram__bytes_write.sum"], lambda r: r["launch"]["memory_bytes"]),
    "registers": (["launch__registers_per_thread"], lambda r: r["launch"].get("registers")),
    "blocks on an SM": (["launch__occupancy_limit_blocks", "launch__occupancy_limit_registers",
                         "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps"],
                        lambda r: r["launch"]["resident_blocks"]),
    "barriers": (["smsp__inst_executed_op_barrier.sum", "sm__sass_inst_executed_op_barrier.sum"],
                 lambda r: r["launch"]["barriers"] * (r["launch"]["threads"] // 32)),
    "instructions": (["smsp__inst_executed.sum"], lambda r: executed(r)),
    "FMA instructions": (["smsp__inst_executed_pipe_fma.sum"], lambda r: executed(r, "fma")),
    "ALU instructions": (["smsp__inst_executed_pipe_alu.sum"], lambda r: executed(r, "alu")),
    "XU instructions": (["smsp__inst_executed_pipe_xu.sum"], lambda r: executed(r, "special", "conversion")),
    "f64 instructions": (["smsp__inst_executed_pipe_fp64.sum"], lambda r: executed(r, "f64")),
    "LSU instructions": (["smsp__inst_executed_pipe_lsu.sum"], lambda r: executed(r, "global", "local", "shared")),
    "tensor instructions": (["smsp__inst_executed_pipe_tensor.sum"], lambda r: executed(r, "tensor")),
    "uniform instructions": (["smsp__inst_executed_pipe_uniform.sum"], lambda r: executed(r, "uniform")),
    "microseconds": (["gpu__time_duration.sum"], lambda r: r["launch"]["seconds"] * 1e6),
}
# Counted alike where addresses are; for the summary.
EXACT = ["load requests", "load sectors", "store requests", "store sectors", "shared wavefronts", "registers",
         "blocks on an SM", "barriers"]
