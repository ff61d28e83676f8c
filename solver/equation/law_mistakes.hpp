// The checks of a config's laws.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/mistake_list.hpp"

namespace lapl {

/// Checks laws of sides and of the mask's rim, and the sides of integrals.
class LawChecker : public MistakeList {
 protected:
  using MistakeList::MistakeList;

  void check_laws();
  void check_faces(const IntegralConfig& integral);

 private:
  void check_law(const std::string& key, SideLaw law, const std::function<void(SideLaw)>& write);
  void check_absorbing(const std::string& key, SideLaw law, const std::vector<std::string>& arrays);
  void check_held(const std::string& key, const SideLaw& law, const LawTerms& terms);
  void check_nodes(const std::string& key, const std::string& why);
  void check_sides();
};

}  // namespace lapl
