// The part of ranks other than the first in storing: their rows of sums and of files.
#pragma once

#include "io/hdf5/file_writer.hpp"
#include "solver/run.hpp"

namespace lapl {

/// Tells the other ranks whether the first rank proceeds to a collective operation; destroyed
/// without say(), it tells them that it does not.
class GoAhead {
 public:
  explicit GoAhead(Ranks& ranks) : ranks_(ranks) {}
  GoAhead(const GoAhead&) = delete;
  GoAhead& operator=(const GoAhead&) = delete;
  ~GoAhead() {
    if (!said_) of_first(ranks_, false);
  }

  void say() {
    said_ = true;
    of_first(ranks_, true);
  }
  /// On the other ranks: true where the first rank proceeds.
  static bool heard(Ranks& ranks) { return of_first(ranks, false); }

 private:
  Ranks& ranks_;
  bool said_ = false;
};

/// The counterpart of the first rank's RunWriter (io/run/run_writer.hpp) on the other ranks: makes
/// the same collective calls in the same order.
template <class T>
class RankWriter final : public RunSink<T> {
 public:
  explicit RankWriter(const Model& model) : model_(model) {}

  void store(const Storing& storing, const Captured<T>& captured) override;
  void probed(std::int64_t, double, std::span<const T>) override {}
  void progress(const Progress&) override {}

 private:
  const Model& model_;
  FileWriter writer_;
  bool warned_of_frozen_ = false;
};

}  // namespace lapl
