// A sweep as one HTML page: its table, its sheets, and the graphs of its members over each other.
#pragma once

#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"
#include "io/run/run_view.hpp"

namespace lapl {

struct SweepPage {
  struct Member {
    std::string label;                ///< its values
    std::vector<std::string> values;  ///< of each key
    std::string page;                 ///< relative path of its own page; empty: it has none
    RunView run;
    ProbeTable probes;
  };
  struct Sheet {
    SheetTexts texts;
    std::vector<Panel> panels;           ///< row by row; without pixels the title says why
    std::vector<const Member*> members;  ///< of each panel; null: there is none
  };
  std::string name, generator;
  std::string counts;             ///< "3 running, 9 complete"
  std::vector<std::string> keys;  ///< of the table
  std::vector<Member> members;
  std::vector<Sheet> sheets;
  std::string sheets_remark;
};

/// The page, in UTF-8. Throws IoError if a picture cannot be made.
std::string sweep_page(const SweepPage& content);

}  // namespace lapl
