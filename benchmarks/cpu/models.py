# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that PyTorch's Inductor compiles twice: to kernels in Triton's syntax, which Nereid runs, and to C++, which is its
own back end for CPUs and the peer. Products and convolutions are library calls in both; what is between them is not."""

import shutil

import torch
import torch._inductor.config as inductor
import torch.nn as nn
import torch.nn.functional as functions


class RmsNorm(nn.Module):

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


def turned(x, cosines, sines):
    """Rotary positions."""
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosines - second * sines, first * sines + second * cosines], -1)


class Decoder(nn.Module):
    """A layer of a Llama: norms, rotary positions, causal attention, a gated feed-forward net."""

    def __init__(self, width=512, heads=8, inner=1376, tokens=256):
        super().__init__()
        self.heads = heads
        self.before, self.between = RmsNorm(width), RmsNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        angles = torch.arange(tokens)[:, None] / 10000 ** (torch.arange(0, width // heads, 2) / (width // heads))
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in self.qkv(self.before(x)).chunk(3, -1))
        q, k = turned(q, self.cosines, self.sines), turned(k, self.cosines, self.sines)
        attended = functions.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, tokens, width))
        y = self.between(x)
        return x + self.down(functions.silu(self.gate(y)) * self.up(y))


class Encoder(nn.Module):
    """Embeddings and a layer of a BERT, its attention written out."""

    def __init__(self, words=8192, width=384, heads=6, tokens=128):
        super().__init__()
        self.heads = heads
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(tokens, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, words):
        x = self.norms[0](self.words(words) + self.places.weight)
        batch, tokens, width = x.shape
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        weights = torch.softmax(q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5, -1)
        x = self.norms[1](x + self.out((weights @ v).transpose(1, 2).reshape(batch, tokens, width)))
        return self.norms[2](x + self.down(functions.gelu(self.up(x))))


class Residual(nn.Module):
    """A block of a ResNet, pooled, as it is in training: its norms take the mean of the batch."""

    def __init__(self, channels=64):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels, track_running_stats=False) for _ in range(2))

    def forward(self, x):
        y = functions.relu(self.norms[0](self.first(x)))
        return functions.max_pool2d(functions.relu(x + self.norms[1](self.second(y))), 2)


class Classifier(nn.Module):
    """A step of training: a net with norms and GELU, its loss, and the gradients of all weights."""

    def __init__(self, width=512, classes=1000):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.head = nn.Linear(width, classes)

    def forward(self, x, labels):
        for layer, norm in zip(self.layers, self.norms):
            x = x + functions.gelu(layer(norm(x)))
        return functions.cross_entropy(self.head(x), labels)


def compiled(model, back_end):
    return torch.compile(model, options={"cpu_backend": back_end})


def step(model):
    """Of a model whose result is a loss: the gradients after one step."""
    def gradients(*arguments):
        model.zero_grad()
        model(*arguments).backward()
        return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])

    return gradients


def inferred(model):
    def result(*arguments):
        with torch.no_grad():
            return model(*arguments)

    return result


CASES = {
    "decoder layer 4 x 256 x 512": (Decoder, lambda: (torch.randn(4, 256, 512),), inferred),
    "encoder layer 8 x 128 x 384": (Encoder, lambda: (torch.randint(0, 8192, (8, 128)),), inferred),
    "residual block 8 x 64 x 56 x 56": (Residual, lambda: (torch.randn(8, 64, 56, 56),), inferred),
    "training step 1024 x 512": (Classifier, lambda: (torch.randn(1024, 512), torch.randint(0, 1000, (1024,))), step),
}


def beside_inductor(table):
    """Times of whole calls, the launches from Python that Inductor's code makes included."""
    if not hasattr(inductor, "cpu_backend") or not shutil.which("g++"):
        print("no g++, or a PyTorch that generates no Triton for CPUs: no rows beside Inductor's C++")
        return
    for name, (make, arguments_of, use) in CASES.items():
        row = f"Inductor: {name}"
        if not table.wants(row):
            continue
        model, arguments = make(), arguments_of()
        results = {}

        def call_of(back_end):
            function = use(compiled(model, back_end))

            def call():
                results[back_end] = function(*arguments)
                return results[back_end]

            return call

        def is_right():
            want, got = results["cpp"].double(), results["triton"].double()
            return bool((got - want).abs().max() <= 1e-4 * want.abs().max())

        table.compare(row, call_of("triton"), call_of("cpp"), None, 1, "", is_right)
