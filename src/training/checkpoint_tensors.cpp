#include "training/checkpoint_tensors.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <cstring>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/safetensors.hpp"

namespace qkvlab {

namespace {

constexpr const char* kStream = "random.stream";

/// The states of all streams, [n] of one and [R, n] of several.
at::Tensor stream_states(const std::vector<RandomSource>& random) {
  std::vector<at::Tensor> states;
  for (const RandomSource& source : random) states.push_back(source.generator("").get_state());
  return states.size() == 1 ? states.front() : at::stack(states);
}

void restore_streams(const std::vector<RandomSource>& random, const at::Tensor& states) {
  const at::Tensor rows = states.view({static_cast<int64_t>(random.size()), -1});
  for (size_t i = 0; i < random.size(); ++i) {
    random[i].generator("").set_state(rows[static_cast<int64_t>(i)].clone());
  }
}

/// Everything that a checkpoint keeps of a group, sharing its memory where it can. A stack of one
/// run is kept as the model that it is.
NamedTensors tensors_of(const RunTensors& run) {
  const auto kept = [&](const at::Tensor& value) {
    return run.model.replicas() == 1 ? value.squeeze(0) : value;
  };
  NamedTensors tensors;
  for (const NamedValue& parameter : named_values(run.model)) {
    tensors.emplace_back(parameter.path, kept(parameter.value));
  }
  for (auto& [name, value] : run.optimizer.state()) {
    tensors.emplace_back("optimizer." + name, kept(value));
  }
  if (run.random.front().scheme() == RandomScheme::kTorchStream) {
    tensors.emplace_back(kStream, stream_states(run.random));
  }
  return tensors;
}

DataType data_type(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DataType::kFloat32;
    case at::kDouble:
      return DataType::kFloat64;
    default:
      require(tensor.scalar_type() == at::kByte, "checkpoints hold floats and bytes");
      return DataType::kUint8;
  }
}

std::string_view bytes_of(const at::Tensor& plain) {
  return {static_cast<const char*>(plain.data_ptr()), plain.nbytes()};
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

/// XXH3-64 of the names and digests of tensors, in the order of their names.
std::string digest_of(const std::map<std::string, std::string_view>& bytes_by_name) {
  std::string all;
  for (const auto& [name, bytes] : bytes_by_name) all += name + " " + xxh3_64_hex(bytes) + "\n";
  return xxh3_64_hex(all);
}

/// The stored tensor as one like `target`. Throws UserError where it is another.
at::Tensor tensor_like(const at::Tensor& target, const StoredTensor& stored,
                       const std::string& path) {
  if (stored.shape != target.sizes().vec()) {
    throw UserError(path + ": " + stored.name + " must be " + shape_text(target.sizes()) + ", is " +
                    shape_text(stored.shape));
  }
  at::Tensor plain = at::empty(target.sizes(), target.options().device(at::kCPU));
  if (stored.type != data_type(plain)) {
    throw UserError(path + ": " + stored.name + " has another type of numbers than the run's");
  }
  std::memcpy(plain.data_ptr(), stored.bytes.data(), stored.bytes.size());
  return plain;
}

}  // namespace

std::string save_tensors(const std::string& path, int64_t step, const RunTensors& run) {
  NamedTensors held;  // on the CPU and contiguous, alive until they are written
  std::vector<TensorView> views;
  std::map<std::string, std::string_view> bytes_by_name;
  for (const auto& [name, tensor] : tensors_of(run)) {
    held.emplace_back(name, tensor.detach().cpu().contiguous());
    const at::Tensor& plain = held.back().second;
    views.push_back({name, data_type(plain), plain.sizes().vec(), bytes_of(plain)});
    bytes_by_name[name] = views.back().bytes;
  }
  write_safetensors(path, views, {{"format", "pt"}, {"step", std::to_string(step)}});
  return digest_of(bytes_by_name);
}

void restore_tensors(const std::string& path, int64_t step, const std::string& digest,
                     const RunTensors& run) {
  const torch::NoGradGuard no_grad;
  const SafetensorsFile file = read_safetensors(path);
  std::map<std::string, const StoredTensor*> stored;
  std::map<std::string, std::string_view> bytes_by_name;
  for (const StoredTensor& tensor : file.tensors) {
    stored[tensor.name] = &tensor;
    bytes_by_name[tensor.name] = tensor.bytes;
  }
  run.optimizer.make_state(step);
  const NamedTensors targets = tensors_of(run);
  std::vector<at::Tensor> values;
  for (const auto& [name, target] : targets) {
    const auto found = stored.find(name);
    if (found == stored.end()) throw UserError(path + ": lacks the tensor " + name);
    values.push_back(tensor_like(target, *found->second, path));
    stored.erase(found);
  }
  if (!stored.empty()) {
    throw UserError(path + ": holds the tensor " + stored.begin()->first +
                    ", which this run does not have");
  }
  if (digest_of(bytes_by_name) != digest) {
    throw UserError(path + ": its numbers are not those that were saved");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (targets[i].first == kStream) {
      restore_streams(run.random, values[i]);
    } else {
      targets[i].second.copy_(values[i]);
    }
  }
}

}  // namespace qkvlab
