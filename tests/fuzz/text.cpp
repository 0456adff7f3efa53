// A text to learn from, in each unit: what is a token is within the vocabulary, and the units put
// together are the text again.

#include "config/text_corpus.hpp"

#include "fuzz/fuzz.hpp"

namespace qkvlab::fuzz {
namespace {

void read(const std::string& file, TextUnit unit, Unseen unseen, std::string_view text) {
  TextTask task;
  task.file = file;
  task.unit = unit;
  task.context = 1;
  task.unseen = unseen;
  const auto corpus = accepted([&] { return read_text_corpus(task); });
  if (!corpus) return;
  const auto count = static_cast<int64_t>(corpus->tokens.size());
  must(corpus->training > 0 && corpus->training <= count, "a part of the text must be trained on");
  std::string again;
  for (const int32_t token : corpus->tokens) {
    must(token >= 0 && static_cast<size_t>(token) < corpus->vocabulary.size(),
         "a token must be one of the vocabulary");
    again += corpus->vocabulary[token];
  }
  const bool is_whole = unseen == Unseen::kRefuse && unit != TextUnit::kWord;
  must(!is_whole || again == text, "units must come to the text");
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const std::string_view text = fuzz::text_of(bytes, size);
  const std::string file = fuzz::folder().write("text.txt", text);
  for (const TextUnit unit : {TextUnit::kCharacter, TextUnit::kByte, TextUnit::kWord}) {
    for (const Unseen unseen : {Unseen::kRefuse, Unseen::kUnknownToken}) {
      fuzz::read(file, unit, unseen, text);
    }
  }
  return 0;
}
