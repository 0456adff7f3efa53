// A file of labelled sentences, and below a divider one that tests them: what is read can be
// written, and comes back with the same words, ids and classes.

#include "config/sentence_file.hpp"

#include "fuzz/fuzz.hpp"

namespace qkvlab::fuzz {
namespace {

std::string written(const Sentences& sentences) {
  std::string text;
  for (size_t i = 0; i < sentences.tokens.size(); ++i) {
    text += sentences.labels[sentences.classes[i]] + "\t";
    for (const std::string& word : words_of(sentences, static_cast<int64_t>(i))) text += word + " ";
    text += "\n";
  }
  return text;
}

bool is_same(const Sentences& a, const Sentences& b) {
  return a.vocabulary == b.vocabulary && a.labels == b.labels && a.tokens == b.tokens &&
         a.classes == b.classes && a.longest == b.longest;
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const auto parts = fuzz::parts_of(fuzz::text_of(bytes, size));
  const auto sentences =
      fuzz::accepted([&] { return read_sentences(fuzz::folder().write("train.tsv", parts[0])); });
  if (!sentences) return 0;
  const std::string copy = fuzz::folder().write("copy.tsv", fuzz::written(*sentences));
  fuzz::must(fuzz::is_same(read_sentences(copy), *sentences), "sentences must read back");
  fuzz::must(fuzz::is_same(read_test_sentences(copy, *sentences), *sentences),
             "and be what tests themselves");
  if (parts.size() == 1) return 0;
  const std::string test_file = fuzz::folder().write("test.tsv", parts[1]);
  const auto test = fuzz::accepted([&] { return read_test_sentences(test_file, *sentences); });
  fuzz::must(!test || test->vocabulary == sentences->vocabulary,
             "tests must have the ids of training");
  return 0;
}
