// Storing on all ranks except the first: they contribute their rows to sums and files.
#pragma once

#include "io/hdf5/file_writer.hpp"
#include "solver/run.hpp"

namespace lapl {

/// Tells the other ranks whether the first rank proceeds to a collective operation. If it is
/// destroyed before say(), they learn that it does not.
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
  /// For the other ranks: true if the first rank proceeds.
  static bool heard(Ranks& ranks) { return of_first(ranks, false); }

 private:
  Ranks& ranks_;
  bool said_ = false;
};

/// The RunWriter (io/run/run_writer.hpp) of the other ranks: makes the same collective calls in the
/// same order as the first rank's.
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
};

}  // namespace lapl
