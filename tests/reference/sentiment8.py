#!/usr/bin/env python3
"""The eight-sentence classifier in plain PyTorch: what `qkvlab trace` is held against.

Prints the loss and accuracy of every epoch as JSON, to be compared with the "curve" of
sentiment8_seed31.json beside this file, which also holds every tensor on the way.
Run with Debian 12's python3-torch: /usr/bin/python3 sentiment8.py ../../data/sentiment8.tsv
"""
import json
import math
import sys

import torch
from torch import nn
from torch.nn import functional

WIDTH = 8
LEARNING_RATE = 0.3
EPOCHS = 100


class Classifier(nn.Module):
    """One head of attention without residual; the order of construction is that of the random draws."""

    def __init__(self, vocabulary, length, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        self.position = nn.Parameter(torch.randn(1, length, WIDTH) * 0.02)
        self.q_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.k_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.v_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.head = nn.Linear(WIDTH, classes)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position  # [B, T, C]
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH)  # [B, T, T]
        return self.head((scores.softmax(-1) @ v).mean(1))  # [B, K]


def read(path):
    """Token ids [B, T] in the order of first appearance, from 1, and labels [B]."""
    ids, tokens, labels = {"<unk>": 0}, [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            label, words = line.rstrip("\n").split("\t")
            labels.append(int(label))
            tokens.append([ids.setdefault(word, len(ids)) for word in words.split()])
    return len(ids), torch.tensor(tokens), torch.tensor(labels)


def main():
    vocabulary, tokens, labels = read(sys.argv[1])
    torch.manual_seed(31)
    model = Classifier(vocabulary, tokens.shape[1], 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)

    def step(some_tokens, some_labels):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(some_tokens), some_labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    step(tokens[:1], labels[:1])
    for epoch in range(1, EPOCHS + 1):
        loss = step(tokens, labels)
        accuracy = (model(tokens).argmax(1) == labels).float().mean().item()
        print(json.dumps({"epoch": epoch, "loss": loss, "accuracy": accuracy}))


if __name__ == "__main__":
    main()
