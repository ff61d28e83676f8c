// Fills the halo of a block with what its neighbours hold there.
#pragma once

#include <memory>
#include <string>

#include "kernels/grid/block.hpp"
#include "kernels/ranks/halo_boxes.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

template <class T>
class Halo {
 public:
  virtual ~Halo() = default;

  /// Called by all ranks that step, in the same order. `block`: where the state of this one's
  /// backend lies, every field. On a device it goes on in the block's stream.
  virtual void fill(Ranks& ranks, const Block<T>& block) = 0;

  /// Which way halos go, for people; empty where there is one.
  virtual std::string how() const { return {}; }
};

/// In host memory.
template <class T>
std::unique_ptr<Halo<T>> make_host_halo(const Decomposition& by, int rank, int fields);

/// Why halos of blocks on devices go through host memory; empty where they do not, and for blocks
/// of the backend "cpu". Called by all ranks together.
std::string why_through_host(Ranks& ranks, const std::string& backend);

/// For blocks of the backend "cpu" or "cuda", whose device is the current one; made by all ranks
/// together. `through_host`: as why_through_host says.
template <class T>
std::unique_ptr<Halo<T>> make_halo(Ranks& ranks, const std::string& backend,
                                   const Decomposition& by, int fields,
                                   const std::string& through_host);

}  // namespace lapl
