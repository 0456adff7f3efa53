#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace qkvlab {

/// How far a long job is, on stderr: a bar that is drawn over on a terminal, a plain line every few
/// seconds elsewhere, on a terminal that cannot draw over (TERM=dumb), and where NO_COLOR asks for
/// plainness.
class Progress {
 public:
  /// `noun` is what is counted ("step").
  explicit Progress(std::string noun);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total` are done, the last one with this loss; `work` more units of work ("tokens",
  /// where `work_noun` is that) have been done since the last call. Cheap: it shows little of what
  /// it is told.
  void show(int64_t done, int64_t total, double loss, int64_t work = 0,
            const std::string& work_noun = "");

  /// A line that stays.
  void note(const std::string& text);

 private:
  std::string line(int64_t done, int64_t total, double loss, const std::string& work_noun) const;

  std::string noun_;
  bool draws_over_;
  bool has_bar_ = false;
  std::chrono::steady_clock::time_point start_, last_;
  int64_t first_ = -1;  // what was done before the first call
  int64_t work_ = 0;
};

}  // namespace qkvlab
