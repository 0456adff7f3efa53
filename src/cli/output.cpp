#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "record/record_lines.hpp"

namespace qkvlab {

namespace {

[[noreturn]] void fail_standard_output() {
  throw UserError(std::string("standard output: ") + std::strerror(errno), ExitCode::kFailed);
}

}  // namespace

Output::Output(const std::string& file, const std::vector<std::string>& inputs) {
  if (file.empty()) return;
  std::error_code not_there;
  for (const std::string& input : inputs) {
    if (std::filesystem::is_regular_file(file, not_there) &&
        std::filesystem::equivalent(file, input, not_there)) {
      throw UserError("--out: " + file + " is the input itself");
    }
  }
  file_.emplace(file);
}

void Output::write(std::string_view text) {
  if (file_) {
    file_->write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    fail_standard_output();
  }
}

void Output::finish() {
  if (file_) {
    file_->commit();
  } else if (std::fflush(stdout) != 0) {
    fail_standard_output();
  }
}

void OutputSink::emit(const Record& record) {
  line_.clear();
  append_record(line_, record);
  output_.write(line_);
}

}  // namespace qkvlab
