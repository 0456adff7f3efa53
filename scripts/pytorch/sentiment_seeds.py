#!/usr/bin/python3
"""The eight-sentence classifier of configs/sentiment.json under many seeds as a PyTorch program:
what its users would write, for comparing time.

    sentiment_seeds.py (--loop | --stacked) [--modes full,none] [--seeds 1000] [--epochs 100]

--loop trains one model after the other; --stacked trains all seeds of a mode as one model whose
tensors have a leading dimension for the seed (R). Both draw what each seed draws on its own, so
they train the same models. Prints one JSON object: means over seeds, the seconds that drawing and
training took, and the threads."""
import argparse
import json
import math
import pathlib
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/reference"))
from sentiment8 import LEARNING_RATE, WIDTH, read  # noqa: E402

EVALUATE_EVERY = 10
LEARNED = {"full": "qkv", "identity_qkv": "", "uniform": "v", "shared_qk": "qv", "none": ""}


class Classifier(nn.Module):
    """One head of attention without residual; the order of construction is that of the draws."""

    def __init__(self, mode, vocabulary, length, classes):
        super().__init__()
        self.mode = mode
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        self.position = nn.Parameter(torch.randn(1, length, WIDTH) * 0.02)
        for name in LEARNED[mode]:
            self.add_module(name, nn.Linear(WIDTH, WIDTH, bias=False))
        self.head = nn.Linear(WIDTH, classes)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position  # [B, T, C]
        return self.head(self.pooled(x))  # [B, K]

    def pooled(self, x):
        """The mean over positions of what attention makes of x: [B, C]."""
        if self.mode == "none":
            return x.mean(1)
        if self.mode == "uniform":
            return self.v(x).mean(1)
        q = k = v = x
        if self.mode != "identity_qkv":
            q, v = self.q(x), self.v(x)
            k = self.k(x) if self.mode == "full" else q
        weights = (q @ k.transpose(-2, -1) / math.sqrt(WIDTH)).softmax(-1)  # [B, T, T]
        return (weights @ v).mean(1)

    def loss(self, logits, labels):
        return F.cross_entropy(logits, labels)


class Stack(nn.Module):
    """R classifiers of one mode as one model, whose losses are [R]."""

    def __init__(self, models):
        super().__init__()
        self.mode = models[0].mode
        self.replicas = len(models)

        def stacked(tensor_of):
            return nn.Parameter(torch.stack([tensor_of(model).detach() for model in models]))

        self.embedding = stacked(lambda model: model.embedding.weight)  # [R, V, C]
        self.position = stacked(lambda model: model.position)  # [R, 1, T, C]
        if LEARNED[self.mode]:
            # Transposed and side by side, so that one product makes all of them.
            self.projections = stacked(lambda model: torch.cat(
                [getattr(model, name).weight.t() for name in LEARNED[model.mode]], 1))  # [R, C, nC]
        self.weight = stacked(lambda model: model.head.weight.t())  # [R, C, K]
        self.bias = stacked(lambda model: model.head.bias[None])  # [R, 1, K]

    def forward(self, tokens):
        batch, length = tokens.shape
        shape = (self.replicas, batch, length, WIDTH)
        x = self.embedding.index_select(1, tokens.reshape(-1)).view(shape) + self.position
        return torch.baddbmm(self.bias, self.pooled(x), self.weight)  # [R, B, K]

    def pooled(self, x):
        """[R, B, T, C] to [R, B, C]."""
        if self.mode == "none":
            return x.mean(2)
        if self.mode == "uniform":
            return torch.bmm(x.mean(2), self.projections)  # the mean first: fewer products
        q = k = v = x
        if self.mode != "identity_qkv":
            own = torch.bmm(x.flatten(1, 2), self.projections)  # [R, BT, nC]
            parts = own.view(*x.shape[:3], -1).split(WIDTH, -1)
            q, k, v = parts if self.mode == "full" else (parts[0], parts[0], parts[1])
        q, k, v = (part.flatten(0, 1) for part in (q, k, v))  # [RB, T, C]
        weights = (torch.bmm(q, k.transpose(-2, -1)) / math.sqrt(WIDTH)).softmax(-1)  # [RB, T, T]
        return torch.bmm(weights.mean(1, keepdim=True), v).view(self.replicas, -1, WIDTH)

    def loss(self, logits, labels):
        """The mean over sentences: [R]."""
        every = labels.expand(logits.shape[:-1])  # [R, B]
        loss = F.cross_entropy(logits.flatten(0, 1), every.reshape(-1), reduction="none")
        return loss.view_as(every).mean(-1)


def train(model, tokens, labels, epochs):
    """The losses before each epoch's step, [epochs] or [epochs, R], and the last evaluation: the
    loss and the share of right answers, [] or [R]."""
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    curve = []
    for epoch in range(1, epochs + 1):
        optimizer.zero_grad(set_to_none=True)
        loss = model.loss(model(tokens), labels)
        loss.sum().backward()
        optimizer.step()
        curve.append(loss.detach())
        if epoch % EVALUATE_EVERY == 0 or epoch == epochs:
            with torch.no_grad():
                logits = model(tokens)
                evaluation = (model.loss(logits, labels),
                              (logits.argmax(-1) == labels).float().mean(-1))
    return torch.stack(curve), evaluation


def draw(mode, seed, data):
    vocabulary, tokens, _ = data
    torch.manual_seed(seed)
    return Classifier(mode, vocabulary, tokens.shape[1], classes=2)


def train_one_by_one(mode, seeds, epochs, data):
    """As train(), of all seeds: [epochs, seeds] and [seeds]."""
    runs = [train(draw(mode, seed, data), *data[1:], epochs) for seed in seeds]
    losses, accuracies = zip(*(evaluation for _, evaluation in runs))
    return torch.stack([curve for curve, _ in runs], 1), (torch.stack(losses),
                                                          torch.stack(accuracies))


def train_stacked(mode, seeds, epochs, data):
    return train(Stack([draw(mode, seed, data) for seed in seeds]), *data[1:], epochs)


def main():
    parser = argparse.ArgumentParser()
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--loop", dest="train", action="store_const", const=train_one_by_one)
    how.add_argument("--stacked", dest="train", action="store_const", const=train_stacked)
    parser.add_argument("--modes", default=",".join(LEARNED))
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=100)
    options = parser.parse_args()
    data = read(ROOT / "data/sentiment8.tsv")
    means = {}
    start = time.perf_counter()
    for mode in options.modes.split(","):
        _, (loss, accuracy) = options.train(mode, range(options.seeds), options.epochs, data)
        means[mode] = {"loss": loss.mean().item(), "accuracy": accuracy.mean().item()}
    seconds = time.perf_counter() - start
    print(json.dumps({"means": means, "seconds": round(seconds, 3),
                      "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
