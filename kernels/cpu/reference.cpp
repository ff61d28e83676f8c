// Engine "reference": the update formula, cell by cell, on one thread.
#include "kernels/cpu/engine.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/rows.hpp"

namespace lapl {
namespace {

template <class T>
class ReferenceEngine final : public CpuEngine<T> {
 public:
  explicit ReferenceEngine(const Problem<T>& problem) : problem_(problem) {}

  void advance(DoubleBuffer<T>& buffers, std::int64_t steps) override {
    for (std::int64_t step = 0; step < steps; ++step) {
      widest<RowLoops<T>>().reference_step(problem_, buffers.current, buffers.next);
      buffers.swap();
    }
  }

  int threads() const override { return 1; }

 private:
  Problem<T> problem_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuEngine<T>> make_reference_engine(const Problem<T>& problem, int) {
  return std::make_unique<ReferenceEngine<T>>(problem);
}
template std::unique_ptr<CpuEngine<float>> make_reference_engine(const Problem<float>&, int);
template std::unique_ptr<CpuEngine<double>> make_reference_engine(const Problem<double>&, int);

}  // namespace lapl
