// The real values of a complex field psi that pictures show, computed from the datasets psi_re and
// psi_im: abs(psi), phase(psi), real(psi) and imag(psi).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/view/plot/plot_source.hpp"

namespace lapl {

/// True for "phase(psi)": the angle of a complex number, from -pi to pi.
bool is_phase(std::string_view name);

/// The names that `asked` means: abs(psi) and phase(psi) for a complex field psi, else itself.
/// Throws ConfigError as chosen_field, also if a complex field is not in the content.
std::vector<std::string> shown_fields(const DrawnContent& content, const std::string& asked,
                                      const std::string& path);

/// The datasets that values of this name follow from: itself, or the two parts of a complex field.
std::vector<std::string> datasets_shown(const std::string& name);

/// Adds the words for the values of a complex field of this config.
void add_complex_labels(std::map<std::string, FieldLabels>& labels, const RunConfig& config,
                        const std::string& field);

/// read_field of a dataset, or of the two parts of a complex field from which the values follow.
ReadField read_shown(const std::filesystem::path& file, const std::string& name,
                     std::size_t record);

}  // namespace lapl
