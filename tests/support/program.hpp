#pragma once

#include <fcntl.h>
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

/// Runs build/…/bin/qkvlab as a user does, from the folder `directory`, and waits for it. Its
/// standard output goes to `out_file` where one is given (such as /dev/full).
inline ProgramRun run_qkvlab(const std::vector<std::string>& arguments,
                             const std::string& directory = QKVLAB_SOURCE_FOLDER,
                             const std::string& out_file = "") {
  const TemporaryFolder folder;
  const std::string out = out_file.empty() ? folder.file("out") : out_file;
  const std::string error = folder.file("error");
  std::vector<std::string> words = {QKVLAB_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) {
    const int out_descriptor = open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    const int error_descriptor = open(error.c_str(), O_WRONLY | O_CREAT, 0600);
    if (chdir(directory.c_str()) != 0 || dup2(out_descriptor, STDOUT_FILENO) < 0 ||
        dup2(error_descriptor, STDERR_FILENO) < 0) {
      _exit(126);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ProgramRun run;
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  if (out_file.empty()) run.out = TemporaryFolder::read(out);
  run.error = TemporaryFolder::read(error);
  return run;
}

}  // namespace qkvlab
