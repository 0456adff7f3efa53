#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace qkvlab {

/// tests/reference/statistics.json, which statistics.py beside it computes with SciPy.
inline const nlohmann::json& statistics_reference() {
  static const nlohmann::json reference = [] {
    std::ifstream file(QKVLAB_SOURCE_FOLDER "/tests/reference/statistics.json");
    return nlohmann::json::parse(file);
  }();
  return reference;
}

inline std::vector<double> reference_sample(const std::string& name) {
  return statistics_reference().at("samples").at(name).get<std::vector<double>>();
}

/// Equal to 1e-9 of the number.
inline void expect_close(double found, double expected, const std::string& what) {
  EXPECT_NEAR(found, expected, 1e-9 * std::abs(expected)) << what;
}

}  // namespace qkvlab
