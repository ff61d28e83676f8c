// A run as one HTML page that needs no other file and no network.
#pragma once

#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"
#include "io/config/config.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/run/run_view.hpp"

namespace lapl {

/// The pictures of one output.
struct ReportStep {
  std::int64_t step = 0;
  double time = 0;
  std::vector<Panel> panels;  ///< one for each field
};

struct ReportContent {
  RunView run;
  std::vector<ReportStep> steps;  ///< in order; at least one
  std::size_t outputs = 0;        ///< of the run, with or without pictures
  std::vector<ResolvedKey> config;
  Provenance provenance;
  ProbeTable probes;
  std::string equations, boundaries;  ///< HTML (mathml.hpp)
  std::string citation;
  std::string commands;   ///< shell commands that continue or examine the run
  std::string generator;  ///< program and version
};

/// The page, in UTF-8. Throws IoError if a picture cannot be made.
std::string report_page(const ReportContent& content);

}  // namespace lapl
