// Fills the halo of a block with what its neighbours hold there.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/block.hpp"
#include "kernels/ranks/halo_boxes.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// Cells of a block, of every field.
template <class T>
struct BoxOf {
  Block<T> block;
  Box box;
};

template <class T>
class Halo {
 public:
  explicit Halo(std::vector<HaloMessage> messages) : messages_(std::move(messages)) {}
  virtual ~Halo() = default;

  const std::vector<HaloMessage>& messages() const { return messages_; }

  /// Called by all ranks that step, in the same order. `block`: where the state of this one's
  /// backend lies, every field. On a device it goes on in the block's stream.
  void fill(Ranks& ranks, const Block<T>& block) {
    std::vector<BoxOf<T>> own;
    for (const HaloMessage& message : messages_) own.push_back({block, message.own});
    start(ranks, own, block);
    finish(ranks, block);
  }

  /// The same in two halves, between which the block may be stepped. `own`: where what goes out
  /// with each message lies; not to be changed before finish().
  virtual void start(Ranks& ranks, const std::vector<BoxOf<T>>& own, const Block<T>& block) = 0;
  virtual void finish(Ranks& ranks, const Block<T>& block) = 0;

  /// Copies so many cells to all of `to`, before anything else that is done there.
  virtual void copy(const BoxOf<T>& from, const Block<T>& to) = 0;

  /// Multiprocessors of a GPU that an exchange needs where the block is stepped meanwhile.
  virtual int processors() const { return 0; }

  /// Which way halos go, for people; empty where there is one.
  virtual std::string how() const { return {}; }

 private:
  std::vector<HaloMessage> messages_;
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
