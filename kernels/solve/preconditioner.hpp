// Approximate inverses of stencil matrices, for the iterations of krylov.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/solve/stencil_matrix.hpp"

namespace lapl {

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  virtual const StencilMatrix& matrix() const = 0;
  virtual const char* name() const = 0;
  /// z = M^-1 r. `r` and `z` are padded arrays.
  virtual void precondition(const std::vector<double>& r, std::vector<double>& z) = 0;
};

enum class SolveMethod : std::uint8_t {
  automatic,   ///< transforms where they can, else multigrid
  multigrid,   ///< Multigrid (multigrid.hpp)
  transforms,  ///< exact but for rounding (mode_solver.cpp)
};

/// Makes the preconditioner of a matrix with a positive diagonal. If `is_singular`, the matrix may
/// be singular. Returns null if the method is `transforms`, and the matrix does not allow them.
std::unique_ptr<Preconditioner> make_preconditioner(StencilMatrix matrix, bool is_singular,
                                                    SolveMethod method, int threads);

}  // namespace lapl
