#include "solver/run_config.hpp"

namespace lapl {

const char* name_of(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
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

}  // namespace lapl
