#include "record/record_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "record/record_examples.hpp"
#include "record/record_stream.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kChildSeconds = 60;  // after which a child ends whatever became of its test

StepRecord step(int64_t number) { return {"0123456789abcdef", number, 0.5F, 1e-3, 1.0F}; }

/// The lines of steps [first, last].
std::string lines(int64_t first, int64_t last) {
  std::string text;
  for (int64_t i = first; i <= last; ++i) text += line_of(step(i)) + "\n";
  return text;
}

int64_t size(const std::string& text) { return static_cast<int64_t>(text.size()); }

/// Lets no file of this process grow beyond `bytes`, as a full disk would, while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

class RecordFileTest : public testing::Test {
 protected:
  std::string content() const { return TemporaryFolder::read(path_); }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("runs.jsonl");
};

TEST_F(RecordFileTest, HoldsEveryRecordInOrder) {
  std::string expected;
  {
    RecordFile file(path_);
    for (const Record& record : examples()) {
      file.emit(record);
      expected += line_of(record) + "\n";
    }
    file.flush();
    EXPECT_EQ(content(), expected);
  }
  int64_t count = 0;
  const ReadSummary summary = read_records(path_, [&](Record&&, int64_t) { ++count; });
  EXPECT_EQ(count, static_cast<int64_t>(examples().size()));
  EXPECT_FALSE(summary.cut_last_line);
}

TEST_F(RecordFileTest, NothingIsWrittenBeforeFlushAndLengthTellsWhatWillBe) {
  RecordFile file(path_);
  EXPECT_EQ(file.length(), 0);
  file.emit(step(1));
  EXPECT_EQ(content(), "");
  EXPECT_EQ(file.length(), size(lines(1, 1)));
  file.flush();
  EXPECT_EQ(content(), lines(1, 1));
  file.emit(step(2));
  EXPECT_EQ(file.length(), size(lines(1, 2)));
  file.sync();
  EXPECT_EQ(content(), lines(1, 2));
  EXPECT_EQ(file.length(), size(lines(1, 2)));
}

TEST_F(RecordFileTest, TheDestructorWritesWhatIsLeft) {
  RecordFile(path_).emit(step(1));
  EXPECT_EQ(content(), lines(1, 1));
}

TEST_F(RecordFileTest, OnlyWholeLinesAreEverInTheFile) {
  RecordFile file(path_);
  int64_t seen = 0;
  for (int64_t i = 1; i <= 30000; ++i) {  // several buffers
    file.emit(step(i));
    if (const auto bytes = static_cast<int64_t>(fs::file_size(path_)); bytes != seen) {
      seen = bytes;
      EXPECT_EQ(content(), lines(1, i));
    }
  }
  EXPECT_GT(seen, 0) << "some were written before flush()";
  file.flush();
  EXPECT_EQ(content(), lines(1, 30000));
}

TEST_F(RecordFileTest, ARecordThatCannotBeWrittenLeavesNoPiece) {
  RecordFile file(path_);
  file.emit(step(1));
  GradientsRecord twice{"r", 1, {{"w", 1.0F}, {"w", 2.0F}}};
  EXPECT_THROW(file.emit(twice), std::logic_error);
  file.emit(step(2));
  file.flush();
  EXPECT_EQ(content(), lines(1, 2));
}

TEST_F(RecordFileTest, AnExistingFileGrows) {
  folder_.write("runs.jsonl", lines(1, 3));
  RecordFile file(path_);
  EXPECT_EQ(file.length(), size(lines(1, 3)));
  file.emit(step(4));
  file.flush();
  EXPECT_EQ(content(), lines(1, 4));
}

TEST_F(RecordFileTest, ACutLastLineIsRemoved) {
  const std::string whole = lines(1, 3);
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    const std::string text = whole.substr(0, cut);
    folder_.write("runs.jsonl", text);
    const RecordFile file(path_);
    ASSERT_EQ(content(), text.substr(0, text.rfind('\n') + 1)) << "cut to " << cut;
    ASSERT_EQ(file.length(), size(content()));
  }
}

TEST_F(RecordFileTest, ALongCutLineIsRemovedWhole) {
  // Around the size of the pieces in which the end of the last line is sought.
  for (const size_t length : {65534U, 65535U, 65536U, 65537U, 200000U}) {
    for (const std::string& before : {std::string(), lines(1, 2)}) {
      folder_.write("runs.jsonl", before + std::string(length, 'x'));
      const RecordFile file(path_);
      EXPECT_EQ(content(), before) << length;
    }
  }
}

TEST_F(RecordFileTest, GoesOnFromALength) {
  folder_.write("runs.jsonl", lines(1, 9) + R"({"type":"st)");
  RecordFile file(path_);
  file.cut_back(size(lines(1, 4)));
  EXPECT_EQ(file.length(), size(lines(1, 4)));
  EXPECT_EQ(content(), lines(1, 4));
  file.emit(step(5));
  file.flush();
  EXPECT_EQ(content(), lines(1, 5));
}

TEST_F(RecordFileTest, GoesOnFromTheStartAndFromTheEnd) {
  folder_.write("runs.jsonl", lines(1, 3));
  RecordFile(path_).cut_back(size(lines(1, 3)));
  EXPECT_EQ(content(), lines(1, 3));
  RecordFile(path_).cut_back(0);
  EXPECT_EQ(content(), "");
}

TEST_F(RecordFileTest, ItsDigestIsThatOfAllLinesHoweverTheyCame) {
  RecordFile file(path_);
  EXPECT_EQ(file.digest(), xxh3_64_hex(""));
  std::string expected;
  for (int64_t i = 1; i <= 2000; ++i) {
    file.emit(step(i));
    if (i % 300 == 0) file.flush();
  }
  file.flush();
  EXPECT_EQ(file.digest(), xxh3_64_hex(lines(1, 2000)));
  file.cut_back(size(lines(1, 1500)));
  EXPECT_EQ(file.digest(), xxh3_64_hex(lines(1, 1500)));
  file.emit(step(1501));
  file.flush();
  EXPECT_EQ(file.digest(), xxh3_64_hex(lines(1, 1501)));
}

TEST_F(RecordFileTest, AnyChangeOfWhatWasSavedIsFound) {
  const std::string whole = lines(1, 3), saved = lines(1, 2);
  const int64_t length = size(saved);
  const std::string digest = xxh3_64_hex(saved);
  folder_.write("runs.jsonl", whole);
  EXPECT_EQ(RecordFile(path_).mismatch(length, digest), "");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = changed[at] == '7' ? '8' : '7';
    folder_.write("runs.jsonl", changed);
    ASSERT_EQ(RecordFile(path_).mismatch(length, digest).empty(), at >= saved.size()) << at;
  }
  folder_.write("runs.jsonl", lines(1, 1));
  EXPECT_EQ(RecordFile(path_).mismatch(length, digest),
            "has only " + std::to_string(lines(1, 1).size()) + " of the " +
                std::to_string(saved.size()) + " bytes that were saved");
  EXPECT_EQ(content(), lines(1, 1));
}

TEST_F(RecordFileTest, WhatCannotBeOpenedIsAMistakeOfTheUser) {
  EXPECT_EQ(user_error([&] { RecordFile(folder_.path()); }),
            folder_.path() + ": cannot be written: Is a directory");
  EXPECT_EQ(user_error([&] { RecordFile(folder_.file("none/f")); }),
            folder_.file("none/f") + ": cannot be written: No such file or directory");
  EXPECT_EQ(user_error([] { RecordFile("/dev/full"); }), "/dev/full: must be a regular file");
  EXPECT_EQ(user_error([] { RecordFile(""); }), ": cannot be written: No such file or directory");
}

TEST_F(RecordFileTest, AProtectedFileIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everything";
  folder_.write("runs.jsonl", lines(1, 1));
  chmod(path_.c_str(), 0444);
  EXPECT_EQ(user_error([&] { RecordFile{path_}; }),
            path_ + ": cannot be written: Permission denied");
}

TEST_F(RecordFileTest, AFullDiskFailsTheRunAndLeavesWholeLines) {
  auto file = std::make_unique<RecordFile>(path_);
  file->emit(step(1));
  file->flush();
  file->emit(step(2));
  file->emit(step(3));
  {
    const FileSizeLimit full(lines(1, 2).size() + 7);  // in the midst of the third line
    EXPECT_EQ(user_error([&] { file->flush(); }, ExitCode::kFailed),
              path_ + ": cannot be written: File too large");
    EXPECT_EQ(content(), lines(1, 1));
    EXPECT_EQ(user_error([&] { file->sync(); }, ExitCode::kFailed),
              path_ + ": cannot be written: File too large");
    EXPECT_EQ(content(), lines(1, 1));
  }
  file->emit(step(4));
  file->flush();  // there is room again
  EXPECT_EQ(content(), lines(1, 4));
  file->emit(step(5));
  const FileSizeLimit full(lines(1, 4).size() + 7);
  file.reset();
  EXPECT_EQ(content(), lines(1, 4));
}

// A file of memory that cannot be cut, as one on a failing disk: what a failed write has left of a
// line must not stand in the midst of what is written later.
TEST_F(RecordFileTest, WhatCannotBeCutAwayIsWrittenOver) {
  const Descriptor memory(memfd_create("records", MFD_ALLOW_SEALING));
  ASSERT_GE(memory.get(), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(memory.get());
  RecordFile file(path);
  file.emit(step(1));
  file.flush();
  ASSERT_EQ(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  file.emit(step(2));
  {
    const FileSizeLimit full(lines(1, 1).size() + 7);
    EXPECT_NE(user_error([&] { file.flush(); }, ExitCode::kFailed), "");
    ASSERT_NE(TemporaryFolder::read(path), lines(1, 1)) << "a piece of the line is there";
  }
  file.emit(step(3));
  file.flush();
  EXPECT_EQ(TemporaryFolder::read(path), lines(1, 3));
}

TEST_F(RecordFileTest, ItIsOneRunsAlone) {
  const std::string busy = path_ + ": is being written by another run";
  auto file = std::make_unique<RecordFile>(path_);
  file->emit(step(1));
  file->flush();
  EXPECT_EQ(user_error([&] { RecordFile{path_}; }), busy);
  EXPECT_EQ(content(), lines(1, 1));
  file.reset();
  RecordFile{path_}.emit(step(2));
  EXPECT_EQ(content(), lines(1, 2));
}

TEST_F(RecordFileTest, AnotherProcessIsKeptOutUntilItsOwnerDies) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kChildSeconds);
    RecordFile file(path_);
    file.emit(step(1));
    file.flush();
    file.emit(step(2));  // never written
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(user_error([&] { RecordFile{path_}; }), path_ + ": is being written by another run");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  RecordFile file(path_);
  EXPECT_EQ(content(), lines(1, 1));
  close(ready[0]);
  close(ready[1]);
}

// A writer that is killed at any moment leaves at most one cut line, and the last length that it
// told of is still there.
TEST_F(RecordFileTest, AKilledWriterLosesNothingThatItFlushed) {
  for (int round = 0; round < 20; ++round) {
    fs::remove(path_);
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
      alarm(kChildSeconds);
      RecordFile file(path_);
      for (int64_t i = 1;; ++i) {
        file.emit(step(i));
        file.flush();
        if (write(told[1], "x", 1) != 1) _exit(1);
      }
    }
    close(told[1]);
    int64_t flushed = 0;
    std::string buffer(4096, '\0');
    while (flushed < 50 * (round + 1)) flushed += read(told[0], buffer.data(), buffer.size());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (ssize_t count = 1; count > 0;) {
      count = read(told[0], buffer.data(), buffer.size());
      flushed += std::max<ssize_t>(count, 0);
    }
    close(told[0]);
    const RecordFile file(path_);
    const std::string text = content();
    const auto kept = std::count(text.begin(), text.end(), '\n');
    EXPECT_GE(kept, flushed);
    EXPECT_EQ(text, lines(1, kept));
  }
}

TEST_F(RecordFileTest, ANewFileFollowsTheUmask) {
  const mode_t before = umask(027);
  { const RecordFile file(path_); }
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

}  // namespace
}  // namespace qkvlab
