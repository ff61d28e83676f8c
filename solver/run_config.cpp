#include "solver/run_config.hpp"

#include <algorithm>

namespace lapl {

bool RunConfig::has_output_field(std::string_view name) const {
  return std::ranges::find(output_fields, name) != output_fields.end();
}

const char* name_of(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

std::size_t size_of(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

const char* name_of(InitialKind kind) {
  switch (kind) {
    case InitialKind::fractal: return "fractal";
    case InitialKind::uniform: return "uniform";
    case InitialKind::gaussian: return "gaussian";
    case InitialKind::checkerboard: return "checkerboard";
    case InitialKind::sine: return "sine";
    case InitialKind::image: return "image";
    case InitialKind::hdf5: return "hdf5";
  }
  return "";
}

const char* name_of(Boundary boundary) {
  switch (boundary) {
    case Boundary::zero: return "zero";
    case Boundary::insulated: return "insulated";
    case Boundary::periodic: return "periodic";
  }
  return "";
}

const char* summary_of(InitialKind kind) {
  switch (kind) {
    case InitialKind::fractal: return "noise with a power-law spectrum, cropped, thresholded";
    case InitialKind::uniform: return "one value in every cell";
    case InitialKind::gaussian: return "a bell-shaped bump";
    case InitialKind::checkerboard: return "squares of alternating sign";
    case InitialKind::sine: return "an eigenmode of the boundary, which keeps its shape";
    case InitialKind::image: return "a PNG picture, grey values from 0 to 1";
    case InitialKind::hdf5: return "a dataset of any HDF5 file";
  }
  return "";
}

const char* summary_of(Boundary boundary) {
  switch (boundary) {
    case Boundary::zero: return "the nodes just outside are held at 0";
    case Boundary::insulated: return "nothing flows through the edge";
    case Boundary::periodic: return "the grid goes on at the opposite edge";
  }
  return "";
}

}  // namespace lapl
