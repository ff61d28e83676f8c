// What other ranks than the first do of what is stored: their rows of sums and of files.
#pragma once

#include "io/hdf5/file_writer.hpp"
#include "solver/run.hpp"

namespace lapl {

/// Says to the others whether the first rank goes on to what all of them do together; where it is
/// destroyed without a word, it does not.
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
  /// What it says, on the others.
  static bool heard(Ranks& ranks) { return of_first(ranks, false); }

 private:
  Ranks& ranks_;
  bool said_ = false;
};

/// Beside RunWriter (io/run/run_writer.hpp), which the first rank has: calls what is collective
/// there, in the same order.
template <class T>
class RankWriter final : public RunSink<T> {
 public:
  explicit RankWriter(const Model& model) : model_(model) {}

  void store(const Storing& storing, const Captured<T>& captured) override;
  void probed(std::int64_t, std::span<const T>) override {}
  void progress(const Progress&) override {}

 private:
  const Model& model_;
  FileWriter writer_;
  bool warned_of_frozen_ = false;
};

}  // namespace lapl
