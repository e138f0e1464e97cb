# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton operators of mamba_ssm (state-spaces/mamba), forward and backward."""

import torch

from cases import run, tensor

BATCH, LENGTH, HEADS, REQUESTS = 2, 2048, 64, 64
F32 = torch.float32


def positive(*shape, grad=True):
    return (torch.rand(*shape, device="cuda") * 0.1 + 0.01).requires_grad_(grad)


def decays(chunks, size):
    """Logarithms of decays, summed up over each chunk."""
    return (-positive(BATCH, HEADS, chunks, size, grad=False)).cumsum(-1).requires_grad_()


def combined(gated):
    def scan():
        from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined
        return mamba_chunk_scan_combined(
            tensor(BATCH, LENGTH, HEADS, 64), tensor(BATCH, LENGTH, HEADS),
            (-positive(HEADS)).detach().requires_grad_(), tensor(BATCH, LENGTH, 1, 128),
            tensor(BATCH, LENGTH, 1, 128), 256, D=tensor(HEADS, dtype=F32),
            z=tensor(BATCH, LENGTH, HEADS, 64) if gated else None, dt_bias=tensor(HEADS, dtype=F32), dt_softplus=True)

    return scan


def chunk_states():
    from mamba_ssm.ops.triton.ssd_chunk_state import chunk_state
    return chunk_state(tensor(BATCH, LENGTH, 8, 128), tensor(BATCH, LENGTH, HEADS, 64),
                       positive(BATCH, HEADS, LENGTH // 256, 256), decays(LENGTH // 256, 256))


def chunk_states_of_sequences():
    from mamba_ssm.ops.triton.ssd_chunk_state import chunk_state_varlen
    ends = torch.arange(0, LENGTH + 1, LENGTH // 8, device="cuda", dtype=torch.int32)
    return chunk_state_varlen(
        tensor(LENGTH, 8, 128, grad=False), tensor(LENGTH, HEADS, 64, grad=False),
        positive(HEADS, LENGTH // 256, 256, grad=False), decays(LENGTH // 256, 256)[0].detach(), ends,
        tensor(LENGTH // 256, HEADS, 64, 128, grad=False))


def chunk_scans():
    from mamba_ssm.ops.triton.ssd_chunk_scan import chunk_scan
    chunks = LENGTH // 256
    return chunk_scan(tensor(BATCH, LENGTH, 8, 128), tensor(BATCH, LENGTH, 8, 128), tensor(BATCH, LENGTH, HEADS, 64),
                      positive(BATCH, HEADS, chunks, 256), decays(chunks, 256), tensor(BATCH, chunks, HEADS, 64, 128),
                      tensor(HEADS, dtype=F32), tensor(BATCH, LENGTH, HEADS, 64))


def passed_states():
    from mamba_ssm.ops.triton.ssd_state_passing import state_passing
    return state_passing(tensor(BATCH, LENGTH // 64, HEADS, 64 * 128), decays(LENGTH // 64, 64)[..., -1])[0]


def state_update():
    from mamba_ssm.ops.triton.selective_state_update import selective_state_update
    heads = (REQUESTS, HEADS, 64)
    return selective_state_update(
        tensor(*heads, 128, grad=False), tensor(*heads, grad=False), tensor(*heads, grad=False),
        -positive(HEADS, 64, 128, grad=False), tensor(REQUESTS, 8, 128, grad=False),
        tensor(REQUESTS, 8, 128, grad=False), tensor(HEADS, 64, grad=False), tensor(*heads, grad=False),
        tensor(HEADS, 64, grad=False), True)


def layer_norm():
    from mamba_ssm.ops.triton.layer_norm import layer_norm_fn
    return layer_norm_fn(tensor(4096, 4096), tensor(4096), tensor(4096), residual=tensor(4096, 4096), prenorm=True)


def rms_norm():
    from mamba_ssm.ops.triton.layer_norm import rms_norm_fn
    return rms_norm_fn(tensor(4096, 4096), tensor(4096), None, residual=tensor(4096, 4096, dtype=F32), prenorm=True,
                       residual_in_fp32=True)


def norm_and_product():
    from mamba_ssm.ops.triton.layer_norm import layer_norm_linear_fn
    return layer_norm_linear_fn(tensor(4096, 2048), tensor(2048), None, tensor(2048, 2048), None, is_rms_norm=True)


def gated_norm(before):
    def norm():
        from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn
        return rmsnorm_fn(tensor(4096, 4096), tensor(4096), None, tensor(4096, 4096), group_size=1024,
                          norm_before_gate=before)

    return norm


def gate():
    from mamba_ssm.ops.triton.k_activations import swiglu
    return swiglu(tensor(4096, 2 * 8192))


def third():
    from mamba_ssm.ops.triton.mamba3.mamba3_siso_combined import mamba3_siso_combined
    heads = (BATCH, HEADS, LENGTH)
    return mamba3_siso_combined(
        tensor(BATCH, LENGTH, 1, 128), tensor(BATCH, LENGTH, 1, 128), tensor(BATCH, LENGTH, HEADS, 64),
        (-positive(*heads)).detach().requires_grad_(), positive(*heads), tensor(*heads), tensor(HEADS, 128, dtype=F32),
        tensor(HEADS, 128, dtype=F32), tensor(BATCH, LENGTH, HEADS, 32, dtype=F32), tensor(HEADS, dtype=F32),
        tensor(BATCH, LENGTH, HEADS, 64))


CASES = {function.__name__: function for function in (
    chunk_states, chunk_states_of_sequences, chunk_scans, passed_states, state_update, layer_norm, rms_norm,
    norm_and_product, gate, third)}
CASES |= {"combined": combined(False), "combined, gated": combined(True), "gated norm": gated_norm(False),
          "norm, then gate": gated_norm(True)}

if __name__ == "__main__":
    run(CASES)
