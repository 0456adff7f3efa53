#!/usr/bin/env python3
"""The character language model of configs/published/char_lm.json as a PyTorch program: what its
users would write, for comparing loss and time.

    char_lm.py TEXT [SEED] [--steps 2000] [--windows N]

Prints the loss on the validation split (the whole of it, or its first N windows), the seconds that
training took, and the threads."""
import argparse
import math
import time

import torch
from torch import nn
from torch.nn import functional as F

LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 4, 4, 128, 64, 12
STEPS, WARM_UP, PEAK, FINAL = 2000, 100, 1e-3, 1e-4


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.register_buffer("mask", torch.ones(CONTEXT, CONTEXT).tril() == 0)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2)
                   for part in self.qkv(x).split(WIDTH, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        weights = scores.masked_fill(self.mask[:length, :length], -math.inf).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = Norm(), Norm()
        self.attention = Attention()
        self.fc_in = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.fc_out = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.fc_out(F.gelu(self.fc_in(self.norm2(x))))


class Norm(nn.Module):
    """A layer norm without bias, which PyTorch 1.13 does not have."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return F.layer_norm(x, (WIDTH,), self.weight)


class Model(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm = Norm()
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                into_stream = name.endswith(("out.weight", "fc_out.weight"))
                std = 0.02 / math.sqrt(2 * LAYERS) if into_stream else 0.02
                nn.init.normal_(parameter, std=std)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[:ids.shape[1]]
        return F.linear(self.norm(self.blocks(x)), self.tokens.weight)


def rate(step, steps):
    if step < WARM_UP:
        return PEAK * (step + 1) / WARM_UP
    t = (step - WARM_UP) / (steps - WARM_UP)
    return FINAL + (PEAK - FINAL) * 0.5 * (1 + math.cos(math.pi * t))


def validation_loss(model, ids):
    total, count = 0.0, 0
    with torch.no_grad():
        for start in range(0, len(ids) - 1, CONTEXT):
            window = ids[start:start + CONTEXT + 1]
            logits = model(window[None, :-1])
            total += F.cross_entropy(logits[0], window[1:], reduction="sum").item()
            count += len(window) - 1
    return total / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("text")
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--windows", type=int)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    with open(options.text, encoding="utf-8") as file:
        text = file.read()
    of = {character: i for i, character in enumerate(sorted(set(text)))}
    ids = torch.tensor([of[character] for character in text])
    train, validation = ids[:int(0.9 * len(ids))], ids[int(0.9 * len(ids)):]
    model = Model(len(of))
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1},
                                   {"params": others, "weight_decay": 0.0}],
                                  lr=PEAK, betas=(0.9, 0.99))
    start = time.time()
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = rate(step, options.steps)
        begins = torch.randint(len(train) - CONTEXT, (BATCH,))
        batch = torch.stack([train[b:b + CONTEXT + 1] for b in begins])
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), batch[:, 1:].reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    seconds = time.time() - start
    if options.windows is not None:
        validation = validation[:options.windows * CONTEXT + 1]
    print(f"{validation_loss(model, validation):.4f} nats, {seconds:.1f} s, "
          f"{torch.get_num_threads()} threads")


if __name__ == "__main__":
    main()
