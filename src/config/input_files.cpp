#include "config/input_files.hpp"

namespace qkvlab {

std::vector<std::string> input_files(const TaskConfig& task) {
  if (const auto* text = std::get_if<TextTask>(&task)) return {text->file};
  const auto* sentences = std::get_if<SentencesTask>(&task);
  if (sentences == nullptr) return {};
  std::vector<std::string> files = {sentences->file};
  if (sentences->test_file) files.push_back(*sentences->test_file);
  return files;
}

}  // namespace qkvlab
