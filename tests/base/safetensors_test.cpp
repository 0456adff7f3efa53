#include "base/safetensors.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

const std::vector<float> kWeights = {1.5F, -2.0F, 0.0F, -0.0F, 1e-45F, 3.4e38F};
const std::vector<double> kDoubles = {0.1};
const std::vector<int64_t> kCounts = {INT64_MIN, INT64_MAX, 0};
const std::string kState("\x00\xFF\x7F\n", 4);
const std::string kFlags("\x01\x00\x01", 3);

/// One tensor of every type, a scalar and an empty one among them.
std::vector<TensorView> examples() {
  return {{"flags", DataType::kBool, {3}, kFlags},
          {"blocks.0.weight", DataType::kFloat32, {2, 3}, bytes_of(kWeights)},
          {"random state \"注\"", DataType::kUint8, {4}, kState},
          {"scalar", DataType::kFloat64, {}, bytes_of(kDoubles)},
          {"empty", DataType::kFloat32, {5, 0, 2}, {}},
          {"counts", DataType::kInt64, {1, 3, 1}, bytes_of(kCounts)}};
}
const SafetensorsMetadata kMetadata = {{"config", R"({"lr": 1e-3})"}, {"注", "line\nline"}};

/// A file with this header, not filled up, and these data.
std::string file_of(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return length + header + data;
}

/// A header with one tensor `w`.
std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

class Safetensors : public testing::Test {
 protected:
  SafetensorsFile read(std::string_view content) {
    return read_safetensors(folder_.write("f", content));
  }
  /// The complaint about a file with this content, without its path.
  std::string complaint(std::string_view content) {
    folder_.write("f", content);
    const std::string message = user_error([&] { read_safetensors(path_); });
    EXPECT_EQ(message.rfind(path_ + ":", 0), 0U) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(std::min(message.size(), path_.size() + 1));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("f");
};

TEST_F(Safetensors, WhatIsWrittenReadsBackTheSame) {
  write_safetensors(path_, examples(), kMetadata);
  const SafetensorsFile file = read_safetensors(path_);
  EXPECT_EQ(file.metadata, kMetadata);
  ASSERT_EQ(file.tensors.size(), examples().size());
  for (const TensorView& expected : examples()) {
    const auto found =
        std::find_if(file.tensors.begin(), file.tensors.end(),
                     [&](const StoredTensor& tensor) { return tensor.name == expected.name; });
    ASSERT_NE(found, file.tensors.end()) << expected.name;
    EXPECT_EQ(found->type, expected.type) << expected.name;
    EXPECT_EQ(found->shape, expected.shape) << expected.name;
    EXPECT_EQ(found->bytes, expected.bytes) << expected.name;
  }
}

TEST_F(Safetensors, AFileOfNothingReadsBackToo) {
  write_safetensors(path_, {});
  EXPECT_EQ(TemporaryFolder::read(path_), "\x08\0\0\0\0\0\0\0{}      "s);
  EXPECT_TRUE(read_safetensors(path_).tensors.empty());
  EXPECT_TRUE(read_safetensors(path_).metadata.empty());
}

// Written down by hand from the format's description: wider elements first, blanks up to a multiple
// of 8, here 136 bytes of header.
TEST_F(Safetensors, AFileIsWrittenAsTheFormatSaysToTheByte) {
  const std::vector<float> two = {1.0F, -2.0F};
  write_safetensors(
      path_, {{"b", DataType::kBool, {}, "\x01"}, {"a", DataType::kFloat32, {2}, bytes_of(two)}},
      {{"k", "v"}});
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"BOOL","shape":[],"data_offsets":[8,9]}}    )";
  ASSERT_EQ(header.size(), 136U);
  EXPECT_EQ(TemporaryFolder::read(path_),
            "\x88\0\0\0\0\0\0\0"s + header + "\0\0\x80\x3F\0\0\0\xC0\x01"s);
}

TEST_F(Safetensors, DataStartAtAMultipleOfEightAndEveryTensorIsAligned) {
  for (size_t length = 1; length < 10; ++length) {
    write_safetensors(path_, {{std::string(length, 'x'), DataType::kUint8, {3}, "abc"},
                              {"d", DataType::kFloat64, {}, bytes_of(kDoubles)}});
    const std::string content = TemporaryFolder::read(path_);
    EXPECT_EQ((content.size() - 3) % 8, 0U);
    const size_t end_of_json = content.rfind("}}") + 2;
    EXPECT_LT(content.size() - 11 - end_of_json, 8U) << "more blanks than it takes";
    EXPECT_EQ(content.substr(content.size() - 11), std::string(bytes_of(kDoubles)) + "abc");
  }
}

TEST_F(Safetensors, AReaderInAnotherLanguageFindsTheSame) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "no python3 here";
  write_safetensors(path_, examples(), kMetadata);
  const std::string script = folder_.write("read.py", R"(
import json, struct, sys
content = open(sys.argv[1], 'rb').read()
length, = struct.unpack('<Q', content[:8])
header = json.loads(content[8:8 + length])
data = content[8 + length:]
codes = {'F32': 'f', 'F64': 'd', 'I64': 'q', 'U8': 'B', 'BOOL': '?'}
print(header.pop('__metadata__') == {'config': '{"lr": 1e-3}', '注': 'line\nline'})
for name, entry in sorted(header.items()):
    begin, end = entry['data_offsets']
    code = codes[entry['dtype']]
    count = (end - begin) // struct.calcsize(code)
    print(name, entry['shape'], list(struct.unpack('<%d%s' % (count, code), data[begin:end])))
)");
  const std::string out = folder_.file("out");
  ASSERT_EQ(std::system(("PYTHONUTF8=1 python3 " + script + " " + path_ + " >" + out).c_str()), 0);
  EXPECT_EQ(TemporaryFolder::read(out),
            "True\n"
            "blocks.0.weight [2, 3] [1.5, -2.0, 0.0, -0.0, 1.401298464324817e-45, "
            "3.3999999521443642e+38]\n"
            "counts [1, 3, 1] [-9223372036854775808, 9223372036854775807, 0]\n"
            "empty [5, 0, 2] []\n"
            "flags [3] [True, False, True]\n"
            "random state \"注\" [4] [0, 255, 127, 10]\n"
            "scalar [] [0.1]\n");
}

TEST_F(Safetensors, OrderAndBlanksOfTheHeaderDoNotMatter) {
  const SafetensorsFile file =
      read(file_of("{\"b\" : {\"data_offsets\":[4, 6], \"shape\":[2], \"dtype\":\"U8\"},\n"
                   " \"a\": {\"dtype\": \"F32\", \"shape\": [], \"data_offsets\": [0, 4]}} \n ",
                   "\0\0\x80\x3Fxy"s));
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[0].bytes, "\0\0\x80\x3F"s);
  EXPECT_EQ(file.tensors[1].name, "b");
  EXPECT_EQ(file.tensors[1].bytes, "xy");
}

TEST_F(Safetensors, WhatCannotBeReadIsNamed) {
  EXPECT_EQ(user_error([&] { read_safetensors(path_); }),
            path_ + ": cannot be read: No such file or directory");
  EXPECT_EQ(user_error([&] { read_safetensors(folder_.path()); }),
            folder_.path() + ": must be a regular file");
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(user_error([&] { read_safetensors(path_); }), path_ + ": must be a regular file");
}

TEST_F(Safetensors, TheHeadersLengthIsNotBelieved) {
  EXPECT_EQ(complaint(""), " is not a safetensors file: must have at least 8 bytes, has 0");
  EXPECT_EQ(complaint("1234567"), " is not a safetensors file: must have at least 8 bytes, has 7");
  EXPECT_EQ(complaint("\x03\0\0\0\0\0\0\0{}"sv),
            " is cut: its header claims 3 bytes, the file holds 2 after the header's length");
  EXPECT_EQ(complaint("\x01\xE1\xF5\x05\0\0\0\0{}"sv),
            " is not a safetensors file: a header has at most 100000000 bytes, this one claims "
            "100000001");
  EXPECT_EQ(complaint("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}"sv),
            " is not a safetensors file: a header has at most 100000000 bytes, this one claims "
            "18446744073709551615");
  EXPECT_EQ(complaint("\0\xE1\xF5\x05\0\0\0\0{}"sv),
            " is cut: its header claims 100000000 bytes, the file holds 2 after the header's "
            "length");
}

TEST_F(Safetensors, TheHeaderMustBeAJsonObject) {
  const std::string no_object = " is not a safetensors file: its header must start with '{'";
  for (const char* header : {"", "[]", " {}", "\xEF\xBB\xBF{}", "x"}) {
    EXPECT_EQ(complaint(file_of(header, "")), no_object) << header;
  }
  EXPECT_EQ(complaint(file_of("{} {}", "")), "1: must end after one JSON value");
  EXPECT_EQ(complaint(file_of("{}\0"s, "")), "1: must not hold a NUL byte");
  EXPECT_EQ(complaint(file_of(R"({"w":})", "")).rfind("1: not JSON", 0), 0U);
  EXPECT_EQ(complaint(file_of("{\"\xFF\":{}}", "")).rfind("1: not JSON", 0), 0U);
  EXPECT_EQ(complaint(file_of(R"({"w":)" + std::string(100000, '['), "")).substr(0, 5), "1: w[");
}

TEST_F(Safetensors, EveryKeyOfATensorIsNeededOnceAndNoOther) {
  EXPECT_EQ(complaint(file_of(R"({"w":{"shape":[],"data_offsets":[0,1]}})", "x")),
            "1: w: must have the key 'dtype'");
  EXPECT_EQ(complaint(file_of(R"({"w":{"dtype":"U8","data_offsets":[0,1]}})", "x")),
            "1: w: must have the key 'shape'");
  EXPECT_EQ(complaint(file_of(R"({"w":{"dtype":"U8","shape":[]}})", "x")),
            "1: w: must have the key 'data_offsets'");
  EXPECT_EQ(complaint(file_of(
                R"({"w":{"dtype":"U8","shape":[],"data_offsets":[0,1],"strides":[1]}})", "x")),
            "1: w.strides: unknown key 'strides'; allowed: data_offsets, dtype or shape");
  EXPECT_EQ(complaint(file_of(R"({"w":[]})", "")), "1: w: must be an object, got an array");
  const std::string w = entry("U8", "[]", "[0,1]");
  EXPECT_EQ(complaint(file_of(w.substr(0, w.size() - 1) + "," + w.substr(1), "x")),
            "1: w: duplicate key 'w', already on line 1");
}

TEST_F(Safetensors, TypesShapesAndOffsetsAreChecked) {
  EXPECT_EQ(complaint(file_of(entry("F16", "[]", "[0,2]"), "xx")),
            "1: w.dtype: unknown dtype 'F16'; allowed: F32, F64, I64, U8 or BOOL");
  EXPECT_EQ(complaint(file_of(entry("U8", "[-1]", "[0,1]"), "x")),
            "1: w.shape[0]: must be an integer of at least 0, got -1");
  EXPECT_EQ(complaint(file_of(entry("U8", "[1.0]", "[0,1]"), "x")),
            "1: w.shape[0]: must be an integer of at least 0, got 1.0");
  EXPECT_EQ(complaint(file_of(entry("U8", "1", "[0,1]"), "x")),
            "1: w.shape: must be an array, got an integer");
  EXPECT_EQ(complaint(file_of(entry("U8", "[1]", "[0]"), "x")),
            "1: w.data_offsets: must be [begin, end], got 1 elements");
  EXPECT_EQ(complaint(file_of(entry("U8", "[1]", "[0,1,1]"), "x")),
            "1: w.data_offsets: must be [begin, end], got 3 elements");
  EXPECT_EQ(complaint(file_of(entry("U8", "[1]", "[1,0]"), "x")),
            "1: w.data_offsets[1]: must be an integer of at least 1, got 0");
  EXPECT_EQ(complaint(file_of(entry("U8", "[1]", "[-1,0]"), "x")),
            "1: w.data_offsets[0]: must be an integer of at least 0, got -1");
  EXPECT_EQ(complaint(file_of(entry("U8", "[2]", "[0,2]"), "x")),
            "1: w.data_offsets: must end within the data, got 2; the file holds 1 bytes of data");
  EXPECT_EQ(complaint(file_of(entry("F32", "[2]", "[0,4]"), "xxxx")),
            "1: w.data_offsets: must span the 8 bytes that dtype and shape take, got 4");
  EXPECT_EQ(complaint(file_of(entry("BOOL", "[2]", "[0,2]"), "\x01\x02")),
            " w: a BOOL must be 0 or 1");
}

TEST_F(Safetensors, AShapeBeyondInt64IsRefusedInAnyOrder) {
  const std::string large = "1: w.shape: must not come to more than 9223372036854775807 bytes";
  // Where the product wraps around, the first would come to the 0 bytes that there are.
  for (const char* shape :
       {"[4294967296,4294967296]", "[3,6148914691236517206]", "[9223372036854775807]",
        "[0,4611686018427387904,8]", "[4611686018427387904,8,0]"}) {
    EXPECT_EQ(complaint(file_of(entry("F32", shape, "[0,0]"), "")), large) << shape;
  }
  EXPECT_EQ(read(file_of(entry("F32", "[0,1000000000000]", "[0,0]"), "")).tensors[0].bytes, "");
}

TEST_F(Safetensors, TensorsFillTheDataWithoutGapOrOverlap) {
  const auto two = [](const std::string& a, const std::string& b) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + a +
           R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + b + "}}";
  };
  EXPECT_EQ(read(file_of(two("[2,4]", "[0,2]"), "wxyz")).tensors[0].bytes, "wx");
  EXPECT_EQ(complaint(file_of(two("[0,2]", "[1,3]"), "xyz")),
            "1: b.data_offsets: overlaps what lies before: must begin at 2, got 1");
  EXPECT_EQ(complaint(file_of(two("[0,2]", "[0,2]"), "xy")),
            "1: b.data_offsets: overlaps what lies before: must begin at 2, got 0");
  EXPECT_EQ(complaint(file_of(two("[0,2]", "[3,5]"), "vwxyz")),
            "1: b.data_offsets: leaves a gap after what lies before: must begin at 2, got 3");
  EXPECT_EQ(complaint(file_of(two("[3,5]", "[1,3]"), "vwxyz")),
            "1: b.data_offsets: leaves a gap after what lies before: must begin at 0, got 1");
  EXPECT_EQ(complaint(file_of(two("[0,2]", "[2,4]"), "vwxyz")),
            " holds 5 bytes of data, of which tensors take only 4");
  EXPECT_EQ(complaint(file_of("{}", "x")), " holds 1 bytes of data, of which tensors take only 0");
}

TEST_F(Safetensors, MetadataAreTexts) {
  EXPECT_EQ(complaint(file_of(R"({"__metadata__":{"k":1}})", "")),
            "1: __metadata__.k: must be a string, got an integer");
  EXPECT_EQ(complaint(file_of(R"({"__metadata__":"k"})", "")),
            "1: __metadata__: must be an object, got a string");
  EXPECT_EQ(complaint(file_of(R"({"__metadata__":{"k":"a","k":"b"}})", "")),
            "1: __metadata__.k: duplicate key 'k', already on line 1");
}

TEST_F(Safetensors, AFileCutAnywhereIsRefused) {
  write_safetensors(path_, examples(), kMetadata);
  const std::string whole = TemporaryFolder::read(path_);
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(complaint(whole.substr(0, length)), "") << "cut to " << length;
  }
}

TEST_F(Safetensors, AFlippedBitIsReadOrRefusedButNeverMore) {
  write_safetensors(path_, examples(), kMetadata);
  const std::string whole = TemporaryFolder::read(path_);
  std::mt19937_64 random(7);
  int64_t refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string content = whole;
    for (uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
      char& byte = content[random() % content.size()];
      byte = static_cast<char>(byte ^ 1 << random() % 8);
    }
    try {
      size_t bytes = 0;
      for (const StoredTensor& tensor : read(content).tensors) bytes += tensor.bytes.size();
      EXPECT_LE(bytes, content.size());
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);  // most of the file is header
}

TEST_F(Safetensors, WritingChecksWhatItIsGiven) {
  const auto write = [&](const std::vector<TensorView>& tensors) {
    write_safetensors(path_, tensors);
  };
  EXPECT_THROW(write({{"w", DataType::kFloat32, {2}, "1234"}}), std::logic_error);
  EXPECT_THROW(write({{"w", DataType::kFloat32, {-1}, "1234"}}), std::logic_error);
  EXPECT_THROW(write({{"w", DataType::kUint8, {}, "1"}, {"w", DataType::kUint8, {}, "1"}}),
               std::logic_error);
  EXPECT_THROW(write({{"__metadata__", DataType::kUint8, {}, "1"}}), std::logic_error);
  EXPECT_THROW(write({{"\xFF", DataType::kUint8, {}, "1"}}), std::logic_error);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Safetensors, AFailedWriteLeavesTheOldFile) {
  folder_.write("f", "old");
  EXPECT_EQ(user_error([] { write_safetensors("/dev/full", {}); }, ExitCode::kFailed),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(user_error([&] { write_safetensors(path_ + "/g", {}); }),
            path_ + "/g: cannot be written: Not a directory");
  EXPECT_EQ(TemporaryFolder::read(path_), "old");
}

}  // namespace
}  // namespace qkvlab
