#pragma once

#include <string>
#include <vector>

#include "config/field_rules.hpp"

namespace qkvlab {

/// A field as its declaration says, for what shows fields: the JSON Schema, the table of fields.
struct FieldDescription {
  enum class Type {
    kBoolean,
    kInteger,
    kNumber,
    kString,
    kIntegers,
    kSeeds,     // as read_seeds reads them,
    kVariants,  // as read_variants,
    kGrid,      // and as read_grid
    kObject,
    kTagged
  };
  /// The fields of an object of one kind.
  struct Kind {
    std::string name;
    std::vector<FieldDescription> fields;
  };

  std::string key;
  std::string doc;
  Type type = Type::kObject;
  bool nullable = false;
  bool is_file = false;   // kString: the path of a file that is read
  bool required = false;  // within the object that holds it
  bool affects_results = true;
  std::string default_json;        // of an object: "null", or empty
  IntegerRange integers;           // kInteger, and each element of kIntegers
  NumberRange numbers;             // kNumber
  std::vector<std::string> names;  // kString: what is allowed; empty: any text
  std::string instead_of;          // the key of the object that cannot be combined with this one
  std::vector<FieldDescription> fields;  // kObject
  std::vector<Kind> kinds;               // kTagged; the key `kind` says which, else it is
  std::string default_kind;              // this one
};

/// The fields of a config, in the order in which they are written.
std::vector<FieldDescription> experiment_fields();

}  // namespace qkvlab
