#pragma once

#include "config/ablation_config.hpp"
#include "config/field_rules.hpp"

namespace qkvlab {

template <>
struct ConfigFields<AblationConfig> {
  template <typename C, typename Visitor>
  static void visit(C& ablation, Visitor& visitor) {
    visitor.field("baseline", ablation.baseline,
                  "what the others are compared with: a variant or an attention mode; always run");
    visitor.field("variants", ablation.variants,
                  "what is compared; a variant that has an attention mode's name has that mode "
                  "too; `{}`: all modes");
    visitor.field("seeds", ablation.seeds, "every variant runs with each, in this order", Seeds{});
    visitor.field("grid", ablation.grid,
                  "values that fields take one after another, all with all, in every variant");
    visitor.field("match_parameters", ablation.match_parameters,
                  "whether the MLP's hidden width of each variant is changed so that it has about "
                  "as many parameters as the baseline");
  }
};

}  // namespace qkvlab
