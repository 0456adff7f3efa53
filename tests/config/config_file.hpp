#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/experiment_reader.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {

/// Configs read from a file `x.json` in a folder of the test's own.
class ConfigFileTest : public testing::Test {
 protected:
  ExperimentConfig read(const std::string& json, const std::vector<std::string>& overrides = {}) {
    return read_experiment_config(folder_.write("x.json", json), overrides);
  }
  /// The complaint without the folder: "x.json:1: …".
  std::string complaint(const std::string& json, const std::vector<std::string>& overrides = {}) {
    const std::string message = user_error([&] { read(json, overrides); });
    const std::string folder = folder_.path() + "/";
    return message.rfind(folder, 0) == 0 ? message.substr(folder.size()) : message;
  }

  TemporaryFolder folder_;
};

}  // namespace qkvlab
