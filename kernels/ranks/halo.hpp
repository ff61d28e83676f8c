// The halo of a block: the messages that fill it, one from the neighbour at each face, edge and
// corner, and their exchange.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/grid/block.hpp"
#include "kernels/ranks/decomposition.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// A box of cells of a block; the axes are planes, rows, columns.
struct Box {
  std::array<std::int64_t, 3> first = {}, count = {};
  std::int64_t cells() const { return count[0] * count[1] * count[2]; }
};

/// The exchange with one neighbour in one direction.
struct HaloMessage {
  int peer = 0;
  int sent_tag = 0, received_tag = 0;
  Box own = {};   ///< the cells sent to the neighbour
  Box halo = {};  ///< the cells received from the neighbour
};

/// The messages of the rank's block; none if it has nothing to step. If a block has several
/// messages for one neighbour, the neighbour has them in the opposite order in its list.
std::vector<HaloMessage> halo_messages(const Decomposition& by, int rank);

class DeviceRanks;

template <class T>
class Halo {
 public:
  virtual ~Halo() = default;

  /// Fills the halo of `block`, the state of this rank's backend with all fields. All ranks that
  /// step must call it, in the same order. On a device, enqueues the copies in the block's stream.
  virtual void fill(Ranks& ranks, const Block<T>& block) = 0;

  /// A message on how halos are exchanged; empty if there is only one way.
  virtual std::string how() const { return {}; }

  /// The exchange between GPUs; null if there is none.
  virtual std::shared_ptr<DeviceRanks> devices() const { return {}; }
};

template <class T>
std::unique_ptr<Halo<T>> make_host_halo(const Decomposition& by, int rank, int fields);

/// The reason why halos of blocks on devices go through host memory; empty if they do not,
/// and for backend "cpu". All ranks must call it.
std::string why_through_host(Ranks& ranks, const std::string& backend);

/// Creates the exchange for blocks of backend "cpu", or of "cuda" on the current device. All ranks
/// must call it. `through_host` is the result of why_through_host.
template <class T>
std::unique_ptr<Halo<T>> make_halo(Ranks& ranks, const std::string& backend,
                                   const Decomposition& by, int fields,
                                   const std::string& through_host);

}  // namespace lapl
