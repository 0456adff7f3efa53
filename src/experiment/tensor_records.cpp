#include "experiment/tensor_records.hpp"

#include <ATen/ATen.h>

#include "layers/tensor_values.hpp"

namespace qkvlab {

void emit_tensor(const RunSink& sink, const std::string& phase, const std::string& name,
                 const at::Tensor& value) {
  if (!value.defined()) return;
  TensorRecord record;
  record.phase = phase;
  record.name = name;
  record.shape = value.sizes().vec();
  record.values = float_values(value);
  sink.emit(std::move(record));
}

void emit_values(const RunSink& sink, const std::string& phase,
                 const std::vector<NamedValue>& parameters) {
  for (const NamedValue& parameter : parameters) {
    emit_tensor(sink, phase, parameter.path, parameter.value);
  }
}

void emit_gradients(const RunSink& sink, const std::string& phase,
                    const std::vector<NamedValue>& parameters) {
  for (const NamedValue& parameter : parameters) {
    emit_tensor(sink, phase, parameter.path, parameter.gradient);
  }
}

}  // namespace qkvlab
