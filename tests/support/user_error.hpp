#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace qkvlab {

/// The message of the UserError that `action` must throw, with its exit code checked.
template <typename Action>
std::string user_error(const Action& action, ExitCode code = ExitCode::kUsage) {
  try {
    action();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no UserError was thrown";
  return "";
}

}  // namespace qkvlab
