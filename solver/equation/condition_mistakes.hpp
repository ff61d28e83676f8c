// The checks of a config's conditions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/mistake_list.hpp"

namespace lapl {

/// Checks conditions of sides and of the mask's boundary, and the sides of integrals.
class ConditionChecker : public MistakeList {
 protected:
  using MistakeList::MistakeList;

  void check_conditions();
  void check_faces(const IntegralConfig& integral);

 private:
  void check_condition(const std::string& key, SideCondition condition,
                       const std::function<void(SideCondition)>& write);
  void check_absorbing(const std::string& key, SideCondition condition,
                       const std::vector<std::string>& arrays);
  void check_held(const std::string& key, const SideCondition& condition,
                  const ConditionTerms& terms);
  void check_nodes(const std::string& key, const std::string& why);
  void check_sides();
};

}  // namespace lapl
