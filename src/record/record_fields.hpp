#pragma once

#include "record/records.hpp"

namespace qkvlab {

/// The fields of each record type beside "type" and "run", in the order in which they are written.
/// The writer and the reader both visit them, so that they cannot differ. `R` is the record's type,
/// const for the writer; names are literals. A visitor has:
///
///   field(name, value)          a text, a number, a list, or an object of named values
///   optional(name, text)        a text that is left out where it is empty
///   schema(name, value)         the schema version
///   object(name, visit)         an object whose fields `visit` visits with a visitor of its own
///   raw(name, text)             an object as its text
///   cell(name, cell)            an object of values as their texts, since kRecordSchemaOfCells
///   nested(name, values, shape) row-major values of a known shape
///   matrix(name, values, rows, columns)  the same where the line alone says the shape
///   flat(values)                every other field that is a number; must be the last that is
///                               visited, or the reader would take the fields after it as well
template <typename Type>
struct Fields;

template <>
struct Fields<RunRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.schema("schema", record.schema);
    visitor.field("experiment", record.experiment);
    visitor.field("variant", record.variant);
    visitor.cell("cell", record.cell);
    visitor.field("seed", record.seed);
    visitor.raw("config", record.config);
    visitor.object("parameters", [&](Visitor& parameters) {
      parameters.field("total", record.parameters_total);
      parameters.field("attention", record.parameters_attention);
    });
    visitor.field("initial_digests", record.initial_digests);
    visitor.field("replicas", record.replicas);
    visitor.field("environment", record.environment);
  }
};

template <>
struct Fields<StepRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.field("step", record.step);
    visitor.field("loss", record.loss);
    visitor.field("lr", record.lr);
    visitor.field("grad_norm", record.grad_norm);
  }
};

template <>
struct Fields<GradientsRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.field("step", record.step);
    visitor.field("norms", record.norms);
  }
};

template <>
struct Fields<EvaluationRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.field("step", record.step);
    visitor.field("split", record.split);
    visitor.field("loss", record.loss);
    visitor.flat(record.metrics);
  }
};

template <>
struct Fields<AttentionRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.field("step", record.step);
    visitor.field("layer", record.layer);
    visitor.field("head", record.head);
    visitor.field("sample", record.sample);
    visitor.field("tokens", record.tokens);
    visitor.matrix("weights", record.weights, record.queries, record.keys);
    visitor.nested("entropy", record.entropy, {record.queries});
    visitor.field("diagonal", record.diagonal);
  }
};

template <>
struct Fields<TensorRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.field("phase", record.phase);
    visitor.field("name", record.name);
    visitor.field("shape", record.shape);
    visitor.optional("file", record.file);
    if (record.file.empty()) visitor.nested("values", record.values, record.shape);
  }
};

template <>
struct Fields<ResumedRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.field("step", record.step);
    visitor.field("environment", record.environment);
  }
};

template <>
struct Fields<EndRecord> {
  template <typename R, typename Visitor>
  static void visit(R& record, Visitor& visitor) {
    visitor.field("status", record.status);
    visitor.field("reason", record.reason);
    visitor.field("steps", record.steps);
    visitor.field("metrics", record.metrics);
    visitor.field("batch_digest", record.batch_digest);
    visitor.field("wall_s", record.wall_s);
    visitor.field("replicas", record.replicas);
    visitor.field("peak_rss_mb", record.peak_rss_mb);
  }
};

}  // namespace qkvlab
