# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is no language model: clustering, transport, correlation volumes, sparse convolution, curves, random numbers,
denoising, retrieval, recurrences (each a package of its own from PyPI)."""

from importlib import import_module

import torch

from cases import run, tensor

F16, F32, I32 = torch.float16, torch.float32, torch.int32


def of(module, name):
    return getattr(import_module(module), name)


def values(*shape, dtype=F32, **options):
    return tensor(*shape, dtype=dtype, grad=False, **options)


def nearest_centroid(width, clusters, dtype=F16):
    def assign():
        points = values(8, 65536, width, dtype=dtype)
        return of("flash_kmeans.assign_euclid_triton", "euclid_assign_triton")(
            points, values(8, clusters, width, dtype=dtype), (points.float() ** 2).sum(-1))

    return assign


def new_centroids(by):
    def update():
        clusters = torch.randint(0, 1024, (8, 65536), device="cuda", dtype=I32)
        return of("flash_kmeans.centroid_update_triton", f"triton_centroid_update_{by}")(
            values(8, 65536, 128, dtype=F16), clusters, values(8, 1024, 128, dtype=F16))

    return update


SINKHORN = "flash_sinkhorn.kernels.sinkhorn_flashstyle_sqeuclid"


def transport(width, dtype=F32):
    points = 16384
    return (values(points, width, dtype=dtype, scale=0.3), values(points, width, dtype=dtype, scale=0.3),
            values(points, scale=0.1), values(points, scale=0.1), torch.full((points,), -9.7, device="cuda"))


def sinkhorn_step(width, dtype=F32):
    def step():
        left, right, first, second, weights = transport(width, dtype)
        return of(SINKHORN, "flashsinkhorn_symmetric_step")(left, right, first, second, weights, weights, 0.1,
                                                            autotune=False)

    return step


def sinkhorn_sums(width):
    def sums():
        left, right, _, bias, _ = transport(width)
        return of(SINKHORN, "flashsinkhorn_lse")(left, right, bias, 0.1, autotune=False)

    return sums


def transported():
    left, right, first, second, weights = transport(64)
    return of("flash_sinkhorn.kernels.apply_flash", "apply_plan_mat_flashstyle")(
        left, right, first, second, weights, weights, values(16384, 64), eps=0.1, axis=1)


def correlation_volume():
    return of("localcorr.triton.spatial_corr", "TritonSpatialCorrelationFunction").apply(
        tensor(4, 128, 96, 128, dtype=F32), tensor(4, 128, 96, 128, dtype=F32), 4)


def curve(name, coordinates):
    def encode():
        return of("hilbertsfc.torch", name)(*(
            torch.randint(0, 1 << 16 if coordinates == 2 else 1 << 10, (1 << 24,), device="cuda", dtype=I32)
            for _ in range(coordinates)))

    return encode


def uncurled():
    codes = torch.randint(0, 1 << 30, (1 << 24,), device="cuda")
    return of("hilbertsfc.torch", "hilbert_decode_2d")(codes, nbits=16)


def neighbours(points, share=0.4):
    table = torch.randint(0, points, (27, points), device="cuda", dtype=I32)
    return torch.where(torch.rand(27, points, device="cuda") < share, table, -1)


GEMM = "spconv_triton.pytorch._impl.gemm"


def sparse_convolution(width, dtype=F16):
    return lambda: of(GEMM, "conv_forward")(values(65536, width, dtype=dtype), values(width, 27, width, dtype=dtype),
                                            neighbours(65536), 65536)


def sparse_convolution_weights():
    return of(GEMM, "conv_backward_weight")(values(65536, 64, dtype=F16), values(65536, 64, dtype=F16),
                                            neighbours(65536), (64, 27, 64))


def sparse_pool(name):
    return lambda: of("spconv_triton.pytorch._impl.pool", f"{name}pool_forward")(
        values(65536, 64, dtype=F16), neighbours(65536)[:8].contiguous(), 65536)


def farthest_points(points):
    return lambda: of("torch_fps._triton", "fps")(
        values(32, points, 3), torch.ones(32, points, device="cuda", dtype=torch.bool),
        torch.zeros(32, device="cuda", dtype=torch.long), 256)


def nearest_of_farthest():
    return of("torch_fps._triton", "fps_knn")(
        values(32, 2048, 3), torch.ones(32, 2048, device="cuda", dtype=torch.bool),
        torch.zeros(32, device="cuda", dtype=torch.long), 128, 16)


def random_numbers(name, *arguments, **options):
    def draw():
        generator = of("triton_csprng.stream", "ChaCha20Rng")(key=list(range(8)), nonce=[1, 2], device="cuda:0")
        return of("triton_csprng.sampling", name)(generator, *arguments, **options)

    return draw


def random_blocks():
    chacha = "triton_csprng.chacha20"
    states = of(chacha, "make_chacha20_state")(num_blocks=1 << 18, key=list(range(8)), nonce=[1, 2])
    return of(chacha, "chacha20_blocks")(states)


def denoised():
    return of("bm3d_triton._backend", "denoise")(torch.rand(1, 1, 192, 256, device="cuda"), 0.01)


def late_interaction(length, documents, **options):
    return lambda: of("late_interaction_kernels.forward", "maxsim_forward")(
        values(16, 32, 128, dtype=F16), values(documents, length, 128, dtype=F16), **options)


def pairs_of_texts():
    starts = torch.arange(0, 257, device="cuda", dtype=I32)
    pairs = torch.arange(4096, device="cuda", dtype=I32)
    return of("late_interaction_kernels.score_pairs", "score_pairs_packed")(
        tensor(256 * 32, 128, dtype=F16), tensor(256 * 300, 128, dtype=F16), starts * 32, starts * 300, pairs % 256,
        pairs // 16, max_seqlen_q=32, max_seqlen_d=300)


def recurrence():
    import_module("mingru.triton_scans")
    return torch.ops.mingru_scans.linear_scan_fwd(torch.rand(8, 4096, 1024, device="cuda"), values(8, 4096, 1024))


def recurrence_of_logarithms():
    import_module("mingru.triton_scans")
    return torch.ops.mingru_scans.parallel_scan_log_fwd(-torch.rand(8, 4096, 1024, device="cuda"),
                                                        values(8, 4097, 1024))


CASES = {
    "kmeans 128": nearest_centroid(128, 1024),
    "kmeans 64, 4096 clusters": nearest_centroid(64, 4096),
    "kmeans float32": nearest_centroid(32, 1024, F32),
    "kmeans centroids": new_centroids("euclid"),
    "kmeans sorted": new_centroids("sorted_euclid"),
    "sinkhorn 64": sinkhorn_step(64),
    "sinkhorn 256 half": sinkhorn_step(256, F16),
    "sinkhorn sums": sinkhorn_sums(32),
    "transported": transported,
    "correlation volume": correlation_volume,
    "hilbert 2": curve("hilbert_encode_2d", 2),
    "hilbert 3": curve("hilbert_encode_3d", 3),
    "morton 3": curve("morton_encode_3d", 3),
    "hilbert back": uncurled,
    "sparse convolution 64": sparse_convolution(64),
    "sparse convolution 128": sparse_convolution(128),
    "sparse convolution float32": sparse_convolution(32, F32),
    "sparse convolution weights": sparse_convolution_weights,
    "sparse pool max": sparse_pool("max"),
    "sparse pool mean": sparse_pool("avg"),
    "farthest points 2048": farthest_points(2048),
    "farthest points 16384": farthest_points(16384),
    "farthest points, neighbours": nearest_of_farthest,
    "chacha blocks": random_blocks,
    "chacha bounded": random_numbers("bounded_uint64", [(1 << 50) - 27] * 16, (16, 1 << 18)),
    "chacha gaussian": random_numbers("discrete_gaussian", (16, 1 << 18)),
    "denoised": denoised,
    "late interaction 300": late_interaction(300, 1024),
    "late interaction 1024": late_interaction(1024, 256, normalize=True),
    "late interaction argmax": late_interaction(180, 1024, save_argmax=True),
    "pairs of texts": pairs_of_texts,
    "recurrence": recurrence,
    "recurrence of logarithms": recurrence_of_logarithms,
}

if __name__ == "__main__":
    run(CASES)
