#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "config/field_description.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {

/// Configs made of the registry of fields: every value is right by itself, small enough to train
/// in no time, and need not fit the others. The same for one seed everywhere.
class RandomConfigs {
 public:
  explicit RandomConfigs(uint32_t seed) : random_(seed), fields_(experiment_fields()) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "line " + std::to_string(i * i % 97) + "\n";
    text_ = files_.write("text.txt", text);
    train_ = files_.write("train.tsv", "0\ta b c\n1\ta\n0\td a\n1\tb b b b\n0\tc\n1\td\n");
    test_ = files_.write("test.tsv", "1\tb c\n0\tnew a\n0\td d d d d\n");
  }

  /// A config without `ablation`, and without what the machine must have.
  nlohmann::json config() {
    nlohmann::json config = nlohmann::json::object();
    for (const FieldDescription& field : fields_) {
      const bool is_section = field.key == "task" || field.key == "model" ||
                              field.key == "training" || field.key == "random" ||
                              field.key == "record";
      if (is_section) config[field.key] = value_of(field);
    }
    // One of the two, most often.
    nlohmann::json& training = config["training"];
    if (below(10) > 0) training.erase(below(4) > 0 ? "epochs" : "steps");
    return config;
  }

  size_t below(size_t count) { return random_() % count; }

 private:
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values.at(below(values.size()));
  }

  nlohmann::json object_of(const std::vector<FieldDescription>& fields) {
    nlohmann::json object = nlohmann::json::object();
    for (const FieldDescription& field : fields) {
      const bool is_size = sizes().count(field.key) > 0;
      if (is_size || field.required || below(3) == 0) object[field.key] = value_of(field);
      if (!field.instead_of.empty() && object.contains(field.instead_of)) object.erase(field.key);
    }
    return object;
  }

  nlohmann::json value_of(const FieldDescription& field) {
    using Type = FieldDescription::Type;
    if (field.nullable && below(3) == 0) return nullptr;
    switch (field.type) {
      case Type::kBoolean:
        return below(2) == 0;
      case Type::kInteger:
        return integer_of(field);
      case Type::kNumber:
        return number_of(field.numbers);
      case Type::kString:
        if (!field.names.empty()) return one_of(field.names);
        if (field.is_file) return field.key == "test_file" ? test_ : files_of_task_;
        return one_of<std::string>(
            {"test.accuracy", "test.loss", "validation.loss", "train.loss", "test.exact"});
      case Type::kIntegers:
        return one_of<nlohmann::json>({nlohmann::json::array(), {0}, {0, 1}});
      case Type::kObject:
        return object_of(field.fields);
      case Type::kTagged: {
        const FieldDescription::Kind& kind = one_of(field.kinds);
        files_of_task_ = kind.name == "text" ? text_ : train_;
        nlohmann::json object = object_of(kind.fields);
        object["kind"] = kind.name;
        return object;
      }
      default:
        throw std::logic_error("a field of an ablation");
    }
  }

  /// What decides how long a training takes, and values of it.
  static const std::map<std::string, std::vector<int64_t>>& sizes() {
    static const std::map<std::string, std::vector<int64_t>> values = {
        {"d_model", {4, 6, 8, 12}},
        {"n_layers", {1, 2}},
        {"n_heads", {1, 2, 2, 3}},
        {"max_length", {8, 16, 24, 24}},
        {"length", {4, 6, 8, 12}},
        {"vocabulary", {8, 10, 12, 16}},
        {"symbols", {2, 3, 4}},
        {"pairs", {1, 2}},
        {"context", {4, 8}},
        {"modulus", {3, 5, 7}},
        {"train_examples", {0, 5, 9, 16}},
        {"test_examples", {3, 8}},
        {"steps", {0, 1, 2, 2}},
        {"epochs", {0, 1}},
        {"batch_size", {1, 2, 5}},
    };
    return values;
  }

  int64_t integer_of(const FieldDescription& field) {
    const auto size = sizes().find(field.key);
    if (size != sizes().end() && field.names.empty()) {
      const int64_t value = one_of(size->second);
      if (value >= field.integers.low && value <= field.integers.high) return value;
    }
    const int64_t low = std::max<int64_t>(field.integers.low, 0);
    return low + static_cast<int64_t>(below(4));
  }

  double number_of(const NumberRange& range) {
    while (true) {
      const double value = one_of<double>({-1, -0.0, 0, 1e-8, 1e-3, 0.1, 0.5, 0.9, 1, 3});
      const bool above = range.low_open ? value > range.low : value >= range.low;
      const bool below = range.high_open ? value < range.high : value <= range.high;
      if (above && below) return value;
    }
  }

  std::mt19937 random_;
  std::vector<FieldDescription> fields_;
  const TemporaryFolder files_;
  std::string text_, train_, test_, files_of_task_;
};

}  // namespace qkvlab
