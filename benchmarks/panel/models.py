# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers and torchvision with random weights, compiled by PyTorch: a training step and inference."""

import torch
import transformers

from cases import run

TOKENS = 1024


def language_model(kind, **sizes):
    configuration = getattr(transformers, f"{kind}Config")(**sizes)
    architecture = getattr(transformers, f"{kind}ForCausalLM", None) or getattr(transformers, f"{kind}Model")
    return architecture(configuration).cuda().bfloat16(), {
        "input_ids": torch.randint(0, 1000, (4, TOKENS if kind != "Bert" else 512), device="cuda")}


def llama():
    return language_model("Llama", hidden_size=1024, intermediate_size=2816, num_hidden_layers=2,
                          num_attention_heads=16,
                          num_key_value_heads=4, vocab_size=32000)


def qwen3():
    return language_model("Qwen3", hidden_size=1024, intermediate_size=3072, num_hidden_layers=2,
                          num_attention_heads=16,
                          num_key_value_heads=8, head_dim=128, vocab_size=32000)


def gemma2():
    return language_model("Gemma2", hidden_size=1024, intermediate_size=4096, num_hidden_layers=2,
                          num_attention_heads=8,
                          num_key_value_heads=4, head_dim=128, vocab_size=32000)


def gpt2():
    return language_model("GPT2", n_embd=768, n_layer=2, n_head=12)


def bert():
    return language_model("Bert", num_hidden_layers=2)


def mamba2():
    return language_model("Mamba", hidden_size=768, num_hidden_layers=2)


def image_model(module, name, batch=32):
    import torchvision

    model = getattr(torchvision.models, name)(weights=None).cuda().bfloat16()
    return model, {module: torch.randn(batch, 3, 224, 224, device="cuda", dtype=torch.bfloat16)}


def vit():
    return image_model("x", "vit_b_16")


def resnet():
    return image_model("x", "resnet18")


def convnext():
    return image_model("x", "convnext_tiny")


def efficientnet():
    return image_model("x", "efficientnet_b0")


def training_step(make):
    def step():
        torch._dynamo.reset()
        model, inputs = make()
        compiled = torch.compile(model)
        result = compiled(**inputs)
        first = result if isinstance(result, torch.Tensor) else next(iter(result.values()))
        first.float().square().mean().backward()

    return step


def inference(make):
    def step():
        torch._dynamo.reset()
        model, inputs = make()
        with torch.no_grad():
            torch.compile(model.eval())(**inputs)

    return step


MODELS = (llama, qwen3, gemma2, gpt2, bert, mamba2, vit, resnet, convnext, efficientnet)

if __name__ == "__main__":
    run({f"{make.__name__} training": training_step(make) for make in MODELS}
        | {f"{make.__name__} inference": inference(make) for make in MODELS})
