#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace qkvlab {

/// How a run of `qkvlab` ended.
struct ProgramRun {
  int exit_code = -1;  // -1 where a signal ended it
  std::string out;
  std::string error;
};

/// A run of build/…/bin/qkvlab as a user starts it, from the folder `directory`. Its standard
/// output goes to `out_file` where one is given (such as /dev/full). Waited for at the latest when
/// this is gone.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments,
                          const std::string& directory = QKVLAB_SOURCE_FOLDER,
                          const std::string& out_file = "")
      : takes_out_(out_file.empty()),
        out_(takes_out_ ? folder_.file("out") : out_file),
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
    if (chdir(directory.c_str()) != 0 || dup2(out_descriptor, STDOUT_FILENO) < 0 ||
        dup2(error_descriptor, STDERR_FILENO) < 0) {
      _exit(126);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }
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
    return run;
  }

 private:
  const TemporaryFolder folder_;
  bool takes_out_;
  std::string out_, error_;
  pid_t child_ = -1;
};

/// Runs it to its end.
inline ProgramRun run_qkvlab(const std::vector<std::string>& arguments,
                             const std::string& directory = QKVLAB_SOURCE_FOLDER,
                             const std::string& out_file = "") {
  return RunningProgram(arguments, directory, out_file).wait();
}

}  // namespace qkvlab
