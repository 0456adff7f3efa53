#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "config/config_file.hpp"

namespace qkvlab {
namespace {

/// The configs of example_configs.json, which tests/scripts/schema_test.sh holds the schema to.
class ExampleConfigs : public ConfigFileTest {
 protected:
  static nlohmann::json load() {
    std::ifstream file(QKVLAB_SOURCE_FOLDER "/tests/config/example_configs.json");
    return nlohmann::json::parse(file);
  }
};

TEST_F(ExampleConfigs, RightOnesAreRead) {
  for (const auto& config : load().at("right")) {
    EXPECT_NO_THROW(read(config.dump())) << config;
  }
}

TEST_F(ExampleConfigs, WrongOnesAreRefusedForWhatIsWrong) {
  const auto all = load();
  for (const char* group : {"wrong for its fields", "wrong in what fits what"}) {
    ASSERT_FALSE(all.at(group).empty());
    for (const auto& wrong : all.at(group)) {
      const std::string message = complaint(wrong.at("config").dump());
      EXPECT_NE(message.find(wrong.at("complaint").get<std::string>()), std::string::npos)
          << wrong.at("config") << "\n"
          << message;
    }
  }
}

TEST_F(ExampleConfigs, ShippedConfigsAreRead) {
  const std::string folder = QKVLAB_SOURCE_FOLDER "/configs/";
  read_experiment_config(folder + "sentiment.json");
  const std::string text = folder_.write("a.txt", "b" + std::string(2000, 'a'));
  read_experiment_config(folder + "text_lm.json", {"task.file=" + text});
}

}  // namespace
}  // namespace qkvlab
