# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's tool for kernels in C programs"""

from nereid.refusals import refused as _refused

globals().update(_refused("triton.tools.link", """HeaderParser KernelLinkerMeta LinkerError main
                          gen_signature_with_full_args make_algo_decls make_default_algo_kernel make_get_num_algos_decl
                          make_get_num_algos_def make_global_decl make_kernel_hints_dispatcher make_kernel_load_def
                          make_kernel_meta_const_dispatcher""",
                          "the C sources that it makes launch Triton's machine code; `nereid compile` makes Nereid's"))

if __name__ == "__main__":
    main()  # noqa: F821
