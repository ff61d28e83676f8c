// read FILE: step and digest of the field in an output of lapl, whose seal is verified on the way.
#include <fmt/format.h>

#include "io/hdf5/step_file.hpp"
#include "kernels/digest.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const lapl::FileContent content = lapl::read_content(argv[1]);
  const auto field = std::get<std::vector<float>>(lapl::read_field(argv[1], "field").values);
  fmt::print("step {} digest {:#018x}\n", content.steps.at(0),
             lapl::digest_of(std::span<const float>(field)));
}
