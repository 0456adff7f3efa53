#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace qkvlab {

/// Runs `action` in a process of its own, which exits with 0 after true. It never comes back into
/// the tests, whatever is thrown.
template <typename Action>
pid_t fork_child(const Action& action) {
  const pid_t child = fork();
  if (child != 0) return child;
  int code = 1;
  try {
    code = action() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "in a child: %s\n", error.what());
  } catch (...) {
    std::fputs("in a child: something was thrown\n", stderr);
  }
  _exit(code);
}

/// The wait status of a child.
inline int wait_for_child(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

/// The wait status of a child that runs `action` as somebody whom permissions bind: not as root,
/// as whom tests run where a project is built.
template <typename Action>
int run_without_rights(const Action& action) {
  return wait_for_child(fork_child([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
      return false;
    }
    return action();
  }));
}

}  // namespace qkvlab
