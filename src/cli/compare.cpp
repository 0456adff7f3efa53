#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/talk.hpp"
#include "cli/terminal_style.hpp"
#include "report/comparison_json.hpp"
#include "report/comparison_tables.hpp"
#include "report/plain_words.hpp"
#include "report/table.hpp"

namespace qkvlab {

namespace {

std::string text_of(const ComparisonResult& result, const TextStyle& style) {
  std::string text;
  for (const Comparison& comparison : result.comparisons) {
    text += (text.empty() ? "" : "\n") + comparison_text(comparison, style);
  }
  for (const std::string& note : result.notes) text += sentence_text(note, style);
  return text;
}

std::string markdown_of(const ComparisonResult& result) {
  std::string text;
  for (const Comparison& comparison : result.comparisons) {
    text += (text.empty() ? "" : "\n") + comparison_markdown(comparison);
  }
  for (const std::string& note : result.notes) text += "- " + markdown_text(note) + "\n";
  return text;
}

std::string csv_of(const ComparisonResult& result) {
  std::string text = comparison_csv_titles();
  for (const Comparison& comparison : result.comparisons) text += comparison_csv(comparison);
  return text;
}

/// A table of values has no place for sentences.
void tell_notes(const ComparisonResult& result) {
  for (const Comparison& comparison : result.comparisons) {
    for (const std::string& sentence : plain_words(comparison)) note(sentence);
  }
  for (const std::string& sentence : result.notes) note(sentence);
}

}  // namespace

void run_compare(const CompareCommand& command) {
  const ComparisonResult result = compare_paths(command.comparison);
  Output output(command.out, result.inputs);
  switch (command.format) {
    case Format::kMarkdown:
      output.write(markdown_of(result));
      break;
    case Format::kCsv:
      output.write(csv_of(result));
      tell_notes(result);
      break;
    case Format::kJson:
      output.write(
          comparison_json(result.comparisons, command.comparison.observation.by, result.notes));
      break;
    default:
      output.write(text_of(result, text_style(command.out)));
  }
  output.finish();
}

}  // namespace qkvlab
