#include <vector>

#include "kernels/filters/covariance.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/stages/arithmetic.hpp"

namespace lapl {
namespace {

template <class Storage>
struct Job {
  const CovarianceProblem& problem;
  CovarianceTerms<Storage>& terms;
  int threads;
  Shape source = problem.source();
  std::int64_t plane = source.cells();
};

// Computes channels[y,x,v,u] of batch b; each thread computes all v and u of one (y, x) at a time.
template <class Storage>
void sum_channels(const Job<Storage>& job, std::int64_t b, Number<Storage>* sums) {
  const std::int64_t plane = job.plane, channels = job.problem.channels;
#pragma omp parallel for num_threads(job.threads)
  for (std::int64_t place = 0; place < plane; ++place) {
    Number<Storage>* const row = sums + place * plane;
    for (std::int64_t i = 0; i < plane; ++i) row[i] = 0;
    for (std::int64_t ch = 0; ch < channels; ++ch) {
      const Storage* const mean = job.terms.mu.data() + (b * channels + ch) * plane;
      const Storage* const gamma =
          job.terms.gamma.data() + (((b * channels + ch) * plane + place) * channels + ch) * plane;
      const Number<Storage> here = as_number(mean[place]);
      for (std::int64_t i = 0; i < plane; ++i)
        row[i] = fused_multiply_add(here, as_number(mean[i]), row[i]) + as_number(gamma[i]);
    }
  }
}

template <class Storage>
void sum_down(const Job<Storage>& job, const Number<Storage>* channels, Number<Storage>* down) {
  const std::int64_t rows = job.problem.output.rows, columns = job.source.columns;
  // distance in `channels` from [y,x,v,u] to [y+1,x,v+1,u]
  const std::int64_t plane = job.plane, step = columns * (plane + 1);
#pragma omp parallel for num_threads(job.threads)
  for (std::int64_t place = 0; place < rows * columns; ++place) {
    Number<Storage>* const row = down + place * rows * columns;
    const Number<Storage>* const from = channels + place * plane;
    for (std::int64_t i = 0; i < rows * columns; ++i) row[i] = from[i];
    for (std::int64_t p = 1; p < job.problem.window.rows; ++p)
      for (std::int64_t i = 0; i < rows * columns; ++i) row[i] += from[p * step + i];
  }
}

template <class Storage>
void add_sums(const Job<Storage>& job, std::int64_t b, const Number<Storage>* down) {
  const std::int64_t rows = job.problem.output.rows, columns = job.problem.output.columns;
  const std::int64_t cells = rows * columns, outputs = job.problem.outputs;
  const std::int64_t wide = job.source.columns, down_plane = rows * wide;
#pragma omp parallel num_threads(job.threads)
  {
    std::vector<Number<Storage>> sums(cells);
#pragma omp for
    for (std::int64_t place = 0; place < cells; ++place) {
      const std::int64_t i = place / columns, j = place % columns;
      const Number<Storage>* const from = down + (i * wide + j) * down_plane;
      for (std::int64_t k = 0; k < rows; ++k) {
        Number<Storage>* const row = sums.data() + k * columns;
        for (std::int64_t l = 0; l < columns; ++l) row[l] = from[k * wide + l];
        for (std::int64_t q = 1; q < job.problem.window.columns; ++q)
          for (std::int64_t l = 0; l < columns; ++l)
            row[l] += from[q * (down_plane + 1) + k * wide + l];
      }
      for (std::int64_t c0 = 0; c0 < outputs; ++c0) {
        Storage* const to =
            job.terms.input.data() + (((b * outputs + c0) * cells + place) * outputs + c0) * cells;
        const Number<Storage> factor = as_number(job.terms.c[c0]);
        for (std::int64_t l = 0; l < cells; ++l)
          to[l] = stored_as<Storage>(fused_multiply_add(factor, sums[l], as_number(to[l])));
      }
    }
  }
}

}  // namespace

template <class Storage>
void add_covariance(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms,
                    int threads) {
  const Job<Storage> job{problem, terms, threads};
  std::vector<Number<Storage>> channels(problem.channel_sums());
  std::vector<Number<Storage>> down(problem.down_sums());
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    sum_channels(job, b, channels.data());
    sum_down(job, channels.data(), down.data());
    add_sums(job, b, down.data());
  }
}
LAPL_FOR_FLOATS(add_covariance);
template void add_covariance(const CovarianceProblem&, CovarianceTerms<Half>&, int);

}  // namespace lapl
