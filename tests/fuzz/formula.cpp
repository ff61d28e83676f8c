// Input: a formula as text; compiled to the stages of each scheme.
#include "solver/equation/stages.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lapl::FormulaSystem system;
  system.names.arrays = {{"u", 0}, {"v", 1}, {"D", 2}};
  system.names.numbers = {{"a", 0.5}, {"n", 0}};
  system.names.noise.emplace();
  try {
    const std::string_view text = lapl::fuzz::input_text(data, size);
    system.rates = {lapl::parse_formula("u", text), lapl::parse_formula("v", "-u * q")};
    system.quantities = {lapl::parse_formula("q", text)};
    for (const auto& scheme : lapl::name_table<lapl::Scheme>)
      for (const lapl::Stage& stage : lapl::step_stages(system, scheme.value, 0.1).stages)
        if (stage.tree.results.size() != stage.targets.size()) std::abort();
  } catch (const lapl::FormulaError& error) {
    if (error.at > error.text.size() || error.of.empty()) std::abort();
  }
  return 0;
}
