#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

namespace qkvlab {

/// How a run of `qkvlab` ended.
struct ProgramRun {
  int exit_code = -1;  // -1 where a signal ended it
  std::string out;
  std::string error;
};

/// What a run of `qkvlab` finds, beside its arguments.
struct ProgramSetting {
  std::string directory = QKVLAB_SOURCE_FOLDER;
  std::string out_file;  // where standard output goes (such as /dev/full); empty: it is returned
  std::string in_file = "/dev/null";                             // standard input
  std::vector<std::pair<std::string, std::string>> environment;  // beside the tests' own
};

/// A run of build/…/bin/qkvlab as a user starts it. Waited for at the latest when this is gone.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments,
                          const ProgramSetting& setting = {})
      : takes_out_(setting.out_file.empty()),
        out_(takes_out_ ? folder_.file("out") : setting.out_file),
        error_(folder_.file("error")) {
    std::vector<std::string> words = {QKVLAB_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    child_ = fork();
    if (child_ != 0) return;
    const int out_descriptor = open(out_.c_str(), O_WRONLY | O_CREAT, 0600);
    const int error_descriptor = open(error_.c_str(), O_WRONLY | O_CREAT, 0600);
    const int in_descriptor = open(setting.in_file.c_str(), O_RDONLY);
    if (chdir(setting.directory.c_str()) != 0 || dup2(in_descriptor, STDIN_FILENO) < 0 ||
        dup2(out_descriptor, STDOUT_FILENO) < 0 || dup2(error_descriptor, STDERR_FILENO) < 0) {
      _exit(126);
    }
    unsetenv("COLUMNS");
    for (const auto& [name, value] : setting.environment) setenv(name.c_str(), value.c_str(), 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
  RunningProgram(const std::vector<std::string>& arguments, const std::string& directory)
      : RunningProgram(arguments, ProgramSetting{directory, {}, "/dev/null", {}}) {}
  ~RunningProgram() {
    if (child_ > 0) wait();
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  void signal(int number) const { kill(child_, number); }

  ProgramRun wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    ProgramRun run;
    if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
    if (takes_out_) run.out = TemporaryFolder::read(out_);
    run.error = TemporaryFolder::read(error_);
    if (run.exit_code > 0) expect_error(run);
    return run;
  }

 private:
  /// Whatever fails says so in a last line that begins alike, and is never a fault of the program.
  static void expect_error(const ProgramRun& run) {
    EXPECT_TRUE(std::set<int>({1, 2, 75, 130, 143}).count(run.exit_code) == 1)
        << "exit code " << run.exit_code << ": " << run.error;
    const std::string whole = "\n" + run.error;
    const std::string last = whole.substr(whole.find_last_of('\n', whole.size() - 2) + 1);
    EXPECT_EQ(last.rfind("qkvlab: error: ", 0), 0U) << run.error;
  }

  const TemporaryFolder folder_;
  bool takes_out_;
  std::string out_, error_;
  pid_t child_ = -1;
};

/// Runs it to its end.
inline ProgramRun run_qkvlab(const std::vector<std::string>& arguments,
                             const ProgramSetting& setting = {}) {
  return RunningProgram(arguments, setting).wait();
}
inline ProgramRun run_qkvlab(const std::vector<std::string>& arguments,
                             const std::string& directory, const std::string& out_file = "") {
  return run_qkvlab(arguments, ProgramSetting{directory, out_file, "/dev/null", {}});
}

/// A pipe that holds a text and ends behind it; few enough bytes for the kernel to keep.
class FilledPipe {
 public:
  explicit FilledPipe(const std::string& text) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    const bool written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(ends[1]);
    end_ = ends[0];
    if (!written) throw std::runtime_error("a pipe takes no more");
  }
  ~FilledPipe() { close(end_); }
  FilledPipe(const FilledPipe&) = delete;
  FilledPipe& operator=(const FilledPipe&) = delete;

  /// As a shell's <(…) names it; programs that are started have it open too.
  std::string path() const { return "/dev/fd/" + std::to_string(end_); }

 private:
  int end_ = -1;
};

}  // namespace qkvlab
