// Evaluates the stages of a problem at states in host memory, on the CPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/problem.hpp"

namespace lapl {

template <class T>
class StageInterpreter;

/// Computes values from a state by the stages of a problem, which write them to the problem's last
/// arrays. No stage may write a field.
template <class T>
class Evaluation {
 public:
  /// `results` is the number of these last arrays. If `threads` is 0, it uses useful_threads
  /// (backend.hpp).
  Evaluation(const Problem<T>& problem, int results, int threads);
  ~Evaluation();

  int threads() const { return threads_; }

  /// Reads a state (problem.values() values: every field, one after the other) at a time (s), and
  /// writes the results, one after the other, shape.cells() values each.
  void operator()(const T* state, double time, T* results);
  std::vector<T> operator()(std::span<const T> state, double time = 0);

  /// Bytes that an Evaluation needs beside the state, the coefficients and the results.
  static double memory(const Problem<T>& problem, int results);

 private:
  int results_, threads_;
  std::unique_ptr<StageInterpreter<T>> stages_;
};

}  // namespace lapl
