#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "config/ablation_plan.hpp"
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
  const auto all = load();
  ASSERT_FALSE(all.at("right").empty());
  for (const auto& config : all.at("right")) EXPECT_NO_THROW(read(config.dump())) << config;
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

/// All of configs/, but for those of `attend`, which are matrices; with a text of their own where
/// theirs has to be downloaded.
TEST_F(ExampleConfigs, EveryShippedConfigIsRightWithItsVariants) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(QKVLAB_SOURCE_FOLDER) / "configs";
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * i % 97) + "\n";
  const std::string stand_in = folder_.write("a.txt", text);
  int configs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".json" || path.find(".schema.json") != std::string::npos ||
        entry.path().parent_path().filename() == "attend") {
      continue;
    }
    std::ifstream file(path);
    const nlohmann::json config = nlohmann::json::parse(file);
    std::vector<std::string> overrides;
    if (config.at("task").at("kind") == "text") overrides = {"task.file=" + stand_in};
    EXPECT_NO_THROW({
      const PlannedConfig planned = read_planned_config(path, overrides);
      EXPECT_EQ(planned.ablation.has_value(), config.contains("ablation")) << path;
    }) << path;
    ++configs;
  }
  EXPECT_GE(configs, 11);
}

TEST_F(ExampleConfigs, ShippedConfigsStateTheirInitialScales) {
  namespace fs = std::filesystem;
  for (const char* folder : {"configs/capabilities", "configs/published", "scripts/benchmark"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(QKVLAB_SOURCE_FOLDER) / folder)) {
      if (entry.path().extension() != ".json") continue;
      std::ifstream file(entry.path());
      EXPECT_TRUE(nlohmann::json::parse(file).at("model").contains("init"))
          << entry.path() << ": what was published does not follow a default";
    }
  }
}

}  // namespace
}  // namespace qkvlab
