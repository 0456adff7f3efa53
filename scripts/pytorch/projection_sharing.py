#!/usr/bin/python3
"""The runs of configs/published/projection_sharing.json as a PyTorch program: what its users would
write, for comparing accuracy and time.

    projection_sharing.py [--rules reverse,sort] [--modes full,shared_kv] [--seeds 3]

Every mode learns every rule under every seed from 0 on, one run after the other. Prints one JSON
object: the accuracy of each run on the test examples, the seconds that all took, and the threads.
As in qkvlab, the data have a stream of random numbers of their own, which begins at the same
seed."""
import argparse
import itertools
import json
import math
import time

import torch
from torch import nn
from torch.nn import functional as F

LAYERS, HEADS, WIDTH, MAX_LENGTH, LENGTH, SYMBOLS = 2, 2, 64, 128, 16, 10
BATCH, PEAK, WARM_UP, CLIP = 128, 1e-3, 0.05, 5.0
RULES = {"copy": lambda x: x, "reverse": lambda x: x.flip(-1), "sort": lambda x: x.sort(-1).values}
LEARNED = {"full": "qkv", "shared_qk": "qv", "shared_kv": "qk", "shared_qkv": "q"}


class Attention(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.mode = mode
        for name in LEARNED[mode]:
            self.add_module(name, nn.Linear(WIDTH, WIDTH))
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        own = {name: getattr(self, name)(x).view(batch, length, HEADS, -1).transpose(1, 2)
               for name in LEARNED[self.mode]}  # [B, H, T, Dh]
        q = own["q"]
        k = own.get("k", q)
        v = own.get("v", k)
        weights = (q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention(mode)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                 nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Module):
    """The order of construction is that of the draws."""

    def __init__(self, mode):
        super().__init__()
        self.tokens = nn.Linear(SYMBOLS, WIDTH)
        self.positions = nn.Embedding(MAX_LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block(mode) for _ in range(LAYERS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, SYMBOLS)

    def forward(self, one_hot):  # [B, T, symbols]
        x = self.tokens(one_hot) + self.positions.weight[:one_hot.shape[1]]
        return self.head(self.norm(self.blocks(x)))


def rate(step, total):
    """The factor of the highest rate: a straight line up, then half a cosine down to 0."""
    warm_up = int(WARM_UP * total)
    if step < warm_up:
        return (step + 1) / warm_up
    return 0.5 * (1 + math.cos(math.pi * (step - warm_up) / (total - warm_up)))


def train(rule, mode, seed, train_examples, test_examples, epochs):
    """The accuracy on the test examples after training."""
    data = torch.Generator().manual_seed(seed)
    train_x, test_x = (torch.randint(SYMBOLS, (examples, LENGTH), generator=data)
                       for examples in (train_examples, test_examples))
    train_y, test_y = RULES[rule](train_x), RULES[rule](test_x)
    train_x, test_x = (F.one_hot(x, SYMBOLS).float() for x in (train_x, test_x))
    torch.manual_seed(seed)
    model = Encoder(mode)
    optimizer = torch.optim.Adam(model.parameters(), lr=PEAK)
    total = epochs * math.ceil(train_examples / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, total))
    for _ in range(epochs):
        for numbers in torch.randperm(train_examples, generator=data).split(BATCH):
            loss = F.cross_entropy(model(train_x[numbers]).flatten(0, 1),
                                   train_y[numbers].flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        right = sum((model(x).argmax(-1) == y).sum().item()
                    for x, y in zip(test_x.split(BATCH), test_y.split(BATCH)))
    return right / test_y.numel()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rules", default="reverse,sort")
    parser.add_argument("--modes", default=",".join(LEARNED))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--train-examples", type=int, default=10000)
    parser.add_argument("--test-examples", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()
    runs = []
    start = time.perf_counter()
    for rule, mode, seed in itertools.product(options.rules.split(","), options.modes.split(","),
                                              range(options.seeds)):
        accuracy = train(rule, mode, seed, options.train_examples, options.test_examples,
                         options.epochs)
        runs.append({"rule": rule, "mode": mode, "seed": seed, "accuracy": round(accuracy, 4)})
    print(json.dumps({"runs": runs, "seconds": round(time.perf_counter() - start, 3),
                      "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
