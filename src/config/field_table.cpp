#include "config/field_table.hpp"

#include "base/number_text.hpp"
#include "config/field_description.hpp"

namespace qkvlab {

namespace {

using Type = FieldDescription::Type;

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string codes(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + code(name);
  return list;
}

std::string allowed(const FieldDescription& field) {
  switch (field.type) {
    case Type::kBoolean:
      return "`true`, `false`";
    case Type::kInteger:
      return integer_wanted(field.integers.low, field.integers.high);
    case Type::kNumber:
      return number_wanted(field.numbers);
    case Type::kString:
      if (!field.names.empty()) return codes(field.names);
      return field.is_file ? "a file" : "text";
    case Type::kIntegers:
      return "a list, each " + integer_wanted(field.integers.low, field.integers.high);
    case Type::kSeeds:
      return "`\"0..4,10\"`, or a list of integers and such texts";
    case Type::kVariants:
      return "an object: names, each with an object of dotted paths and values; or a list of modes";
    case Type::kGrid:
      return "an object: dotted paths, each with a list of values";
    case Type::kObject:
      return "an object";
    case Type::kTagged:
      return "an object, see below";
  }
  return {};
}

/// The sections one after another; those of tagged objects follow the section that holds them.
class TableWriter {
 public:
  void section(const std::string& title, const std::string& path,
               const std::vector<FieldDescription>& fields) {
    text_ += "### " + title + "\n\n";
    text_ += "| field | default | allowed | what |\n| --- | --- | --- | --- |\n";
    rows(fields, "");
    text_ += "\n";
    tagged_sections(path, fields);
  }

  void tagged_section(const std::string& path, const FieldDescription& field) {
    for (const FieldDescription::Kind& kind : field.kinds) {
      section(code(path) + " of kind " + code(kind.name) +
                  (kind.name == field.default_kind ? " (the default)" : ""),
              path, kind.fields);
    }
  }

  const std::string& text() const { return text_; }

 private:
  /// Fields of an object in the object count among those of the section.
  void rows(const std::vector<FieldDescription>& fields, const std::string& prefix) {
    for (const FieldDescription& field : fields) {
      if (field.type != Type::kObject || field.nullable) row(field, prefix);
      rows(field.fields, prefix + field.key + ".");
    }
  }

  void row(const FieldDescription& field, const std::string& prefix) {
    std::string standard = field.default_json.empty() ? "" : code(field.default_json);
    if (field.required) standard = "must be given";
    if (field.type == Type::kObject && standard.empty()) standard = "that of its fields";
    const std::string or_null = field.nullable ? " or `null`" : "";
    text_ += "| " + code(prefix + field.key) + " | " + standard + " | " + allowed(field) + or_null +
             " | " + field.doc + " |\n";
  }

  void tagged_sections(const std::string& path, const std::vector<FieldDescription>& fields) {
    for (const FieldDescription& field : fields) {
      if (field.type == Type::kTagged) tagged_section(path + "." + field.key, field);
    }
  }

  std::string text_;
};

}  // namespace

std::string field_table() {
  TableWriter table;
  for (const FieldDescription& field : experiment_fields()) {
    const std::string effect = field.affects_results ? "" : "; does not affect results";
    if (field.type == Type::kTagged) {
      table.tagged_section(field.key, field);
    } else if (field.type == Type::kObject) {
      table.section(code(field.key) + ": " + field.doc + effect, field.key, field.fields);
    } else {
      table.section("At the top" + effect, field.key, {field});
    }
  }
  return table.text();
}

}  // namespace qkvlab
