#pragma once

#include <array>
#include <string>

namespace qkvlab {

/// The colours of weights from 0 to 1: cividis (Nuñez, Anderton and Renslow 2018, PLOS ONE 13(7)),
/// which people with and without colour vision deficiency see alike, and grey printers too. Equally
/// spaced; between them it is linear.
constexpr std::array<const char*, 10> kWeightColours = {"#00224e", "#123570", "#3b496c", "#575d6d",
                                                        "#707173", "#8a8678", "#a59c74", "#c3b369",
                                                        "#e1cc55", "#fee838"};

/// "#rrggbb" of a weight; below 0 and above 1 that of the ends.
std::string weight_colour(double weight);

/// Whether dark text stands out better on it than light text.
bool wants_dark_text(double weight);

}  // namespace qkvlab
