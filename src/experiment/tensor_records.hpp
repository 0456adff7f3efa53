#pragma once

#include <string>
#include <vector>

#include "layers/named_values.hpp"
#include "record/run_sink.hpp"

namespace qkvlab {

/// Sends tensors as `tensor` records of a phase, one each; those that are undefined (mode `none`
/// computes no scores) are passed over.
void emit_tensor(const RunSink& sink, const std::string& phase, const std::string& name,
                 const at::Tensor& value);
void emit_values(const RunSink& sink, const std::string& phase,
                 const std::vector<NamedValue>& parameters);
void emit_gradients(const RunSink& sink, const std::string& phase,
                    const std::vector<NamedValue>& parameters);

}  // namespace qkvlab
