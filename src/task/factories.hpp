#pragma once

#include "task/task.hpp"

namespace qkvlab {

/// What there is to learn, one function for each task of the registry; make_task chooses among
/// them. The examples write what a model reads, then `→` and what it should say; `·` is a position
/// where nothing is asked. "Chance" is the accuracy of a model whose tokens see only themselves.

/// Labelled sentences of words: "is this sentence positive?". What it asks of attention: to mix the
/// words of a sentence before they are averaged; a bag of words solves the easy cases.
///   我 喜欢 机器人 → 1
std::unique_ptr<Task> new_task(const SentencesTask& config, const RandomSource& data,
                               const Limits& limits);

/// The next token of a text. What it asks of attention: everything at once, from the token before
/// (spelling) to names at the start of the window. Training example i is the window of `context`
/// tokens from token i on. Held-out windows stand side by side, and the last is filled up with
/// padding, so that each token of the validation part but its first is predicted exactly once.
///   T o _ b → o _ b e
std::unique_ptr<Task> new_task(const TextTask& config, const RandomSource& data,
                               const Limits& limits);

/// A rule applied to random symbols. What it asks of attention: to fetch from a place that depends
/// on the position (kReverse, kSwapHalves: the second half, then the first; kCopy where the answer
/// is continued), to compare all symbols with each other (kSort), or nothing at all: kCopy and
/// kSubtract in place change each symbol by itself.
///   reverse, in place:  3 1 2 → 2 1 3
///   reverse, continued: 3 1 2 2 1 → · · 2 1 3
/// Under torch_stream, with `train_examples` and without `held_out`, all questions are drawn at
/// once, as a PyTorch program does with torch.randint: those of training, then those of the test.
std::unique_ptr<Task> new_task(const SequenceTask& config, const RandomSource& data,
                               const Limits& limits);

/// Multi-query associative recall (Arora et al. 2023, "Zoology", arXiv:2312.04927): keys with their
/// values, then each key again, in any order. What it asks of attention: to look up by content, as
/// many things at once as there are pairs, over any distance; a causal model needs two layers for
/// it, or a way to see the token before. Chance: one of the values, 2 / vocabulary.
///
/// Keys are distinct and from 1 to V/2 − 1, values distinct and from V/2 to V − 1, 0 fills. Behind
/// the pairs are ⌊(T − 2·pairs)/2⌋ slots of two positions. The keys, in order, get distinct slots,
/// drawn one after the other with probabilities in proportion to power · i^(power − 1) of slot
/// i = 1, 2, …. A key stands at the first position of its slot, and the target there is its value:
/// the published sequence of T + 1 tokens, where the value would come next, shifted by one.
///   V = 8, pairs 3→6 1→4, key 3 in slot 2, key 1 in slot 1:
///   3 6 1 4 1 0 3 0 → · · · · 4 · 6 ·
std::unique_ptr<Task> new_task(const RecallTask& config, const RandomSource& data,
                               const Limits& limits);

/// Which token followed this one before? The last token occurs once before, at any place but the
/// one next to it; the other tokens are random. What it asks of attention: an induction head, that
/// is a head that finds the token whose predecessor is this one (Olsson et al. 2022), so two layers
/// in a row. Chance: 1 / (vocabulary − 1), as the answer is never the last token itself.
///   5 2 7 1 4 2 → · · · · · 7
std::unique_ptr<Task> new_task(const InductionTask& config, const RandomSource& data,
                               const Limits& limits);

/// Which symbol occurs most often? There is one that occurs more often than every other. What it
/// asks of attention: to count, for which uniform attention suffices; a model that averages its
/// tokens in the end needs no attention for it. Chance: 1 / symbols.
///   1 3 1 0 1 → 1
std::unique_ptr<Task> new_task(const MajorityTask& config, const RandomSource& data,
                               const Limits& limits);

/// (a + b) mod p, with p as the token "=". What it asks of attention: to bring both numbers to one
/// place, for which uniform attention suffices; the work is the MLP's. The order of a and b does
/// not matter. Of all pairs those that are held out are never trained on, nor, unless they are
/// counted with their order, with a and b swapped: a model that pools its tokens would know those
/// by heart. Chance: about 1 / p.
///   p = 5:  3 4 = → · · 2
std::unique_ptr<Task> new_task(const ModularAdditionTask& config, const RandomSource& data,
                               const Limits& limits);

/// Which noun does the pronoun mean? Two nouns of different kinds (he, she, it; 他, 她, 它), then a
/// statement about one of them; asides move the parts about. What it asks of attention: to carry
/// the kind of the pronoun to the end and to choose, by it, between the two nouns. As they differ
/// in kind, a bag of the words would do, so uniform attention can learn it too. The question stands
/// at the last token, which is always the same, in sentences of one length. Chance: one of the
/// nouns, 1 / 18 in one language and 1 / 36 in both.
///   the king is near the table , the wind blows . it is clean . that is ? → table
std::unique_ptr<Task> new_task(const CoreferenceTask& config, const RandomSource& data,
                               const Limits& limits);

}  // namespace qkvlab
