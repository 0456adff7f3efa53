#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace qkvlab {

/// A time for people: "1:02:03", "2:03" or "3 s"; begun seconds count.
std::string duration_text(double seconds);

/// How far a long job is, on stderr: a bar that is drawn over on a terminal, a plain line every few
/// seconds elsewhere and on a terminal that cannot draw over (TERM=dumb), nothing under --quiet.
class Progress {
 public:
  /// `noun` is what is counted ("step"); plain lines come no oftener than `line_every`.
  explicit Progress(std::string noun,
                    std::chrono::milliseconds line_every = std::chrono::seconds(5));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total` are done, the last one with this loss; `work` more units of work ("tokens",
  /// where `work_noun` is that) have been done since the last call. Cheap: it shows little of what
  /// it is told.
  void show(int64_t done, int64_t total, double loss, int64_t work = 0,
            const std::string& work_noun = "");

  /// The same of anything else; `text` says how it stands, and is asked for only when it is shown.
  void show(int64_t done, int64_t total, const std::function<std::string()>& text);

  /// A line that stays, as `note` and `warn` of cli/talk.hpp say it.
  void note(const std::string& text);
  void warn(const std::string& text);

 private:
  bool is_due();
  void clear_bar();
  void draw(int64_t done, int64_t total, const std::string& text);
  std::string line(int64_t done, int64_t total, double loss, const std::string& work_noun) const;

  std::string noun_;
  bool draws_over_;
  std::chrono::milliseconds every_;
  bool has_bar_ = false;
  std::chrono::steady_clock::time_point start_, last_;
  int64_t first_ = -1;  // what was done before the first call
  int64_t work_ = 0;
};

}  // namespace qkvlab
