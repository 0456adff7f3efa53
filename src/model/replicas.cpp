#include "model/replicas.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/variable.h>

namespace qkvlab {

void stack_parameters(torch::nn::Module& target,
                      const std::vector<const torch::nn::Module*>& models) {
  std::vector<torch::OrderedDict<std::string, at::Tensor>> parameters;
  for (const torch::nn::Module* model : models) parameters.push_back(model->named_parameters());
  for (auto& parameter : target.named_parameters()) {
    std::vector<at::Tensor> values;
    for (const auto& theirs : parameters) {
      const at::Tensor* value = theirs.find(parameter.key());
      TORCH_CHECK(value != nullptr && value->sizes() == parameter.value().sizes(),
                  "replicas differ in parameter ", parameter.key());
      values.push_back(value->detach());
    }
    parameter.value().set_data(at::stack(values));  // [R, ...]
    parameter.value().mutable_grad() = at::Tensor();
    // A graph that is still alive (a loss kept from training alone) holds an accumulator that would
    // sum the gradients of all replicas into the old shape.
    torch::autograd::impl::set_grad_accumulator(parameter.value(), {});
  }
}

}  // namespace qkvlab
