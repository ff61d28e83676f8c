// The ranks of this test program.
#pragma once

#include <string>
#include <vector>

#include "kernels/derived.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/equation/formula.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/stages.hpp"
#include "solver/make_problem.hpp"

namespace lapl::test {

Ranks& ranks();

/// The plan of one derived output.
template <class T>
std::vector<DerivedOutput<T>> derived_plans(const RunConfig& run, const CoefficientFields& fields,
                                            const std::string& formula) {
  return {problem_with<T>(run, fields,
                          value_stages(make_system(run), parse_formula("derived", formula)))};
}

}  // namespace lapl::test
