#include "benchmarks/plain_schemes.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace lapl {
namespace {

constexpr std::int64_t pad = 16;

// A field with a row beyond each side and `pad` values beside each row.
struct Padded {
  float* first;
  std::int64_t pitch;
  float* row(std::int64_t i) const { return first + (i + 1) * pitch + pad; }
};

struct State {
  Padded u, v;
};

// A weighted sum of states: y[j] = sum of weights[k] * addends[k].
struct Addend {
  float weight;
  State of;
};

}  // namespace

void PlainGrayScott::advance(std::vector<float>& state, std::int64_t steps) {
  const std::int64_t pitch = columns + 2 * pad, values = (rows + 2) * pitch;
  std::size_t used = 0;
  const auto field = [&] {
    if (used == arrays.size()) arrays.emplace_back(values);
    return Padded{arrays[used++].data(), pitch};
  };
  const auto new_state = [&] { return State{field(), field()}; };
  const auto of_cells = [&](const Padded& to, std::int64_t which, bool back) {
    for (std::int64_t i = 0; i < rows; ++i) {
      float* const cells = state.data() + (which * rows + i) * columns;
      back ? std::copy_n(to.row(i), columns, cells) : std::copy_n(cells, columns, to.row(i));
    }
  };
  const auto wrap = [&](const State& y, double t) {
    for (const Padded& of : {y.u, y.v}) {
      for (std::int64_t i = 0; i < rows; ++i) {
        float* const row = of.row(i);
        row[-1] = row[columns - 1], row[columns] = row[0];
      }
      if (rows_follow_time) {
        std::fill_n(of.row(-1) - 1, columns + 2, static_cast<float>(std::sin(t)));
        std::fill_n(of.row(rows) - 1, columns + 2, static_cast<float>(std::sin(t)));
      } else {
        std::copy_n(of.row(rows - 1) - 1, columns + 2, of.row(-1) - 1);
        std::copy_n(of.row(0) - 1, columns + 2, of.row(rows) - 1);
      }
    }
  };
  const Padded inside = mask.empty() ? Padded{} : field();
  if (!mask.empty()) {
    for (std::int64_t i = 0; i < rows; ++i)
      std::copy_n(mask.data() + i * columns, columns, inside.row(i));
    const bool follows = std::exchange(rows_follow_time, false);
    wrap({inside, inside}, 0);
    rows_follow_time = follows;
  }

  // k = f(y); next = the sum of addends, the last of which is k.
  const auto stage = [&](const State& y, double t, const State& k, const State& next,
                         std::initializer_list<Addend> sum) {
    wrap(y, t);
    const auto* const addends = sum.begin();
    const std::size_t count = sum.size();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i) {
      const float *const u = y.u.row(i), *const v = y.v.row(i);
      const float *const u_up = y.u.row(i - 1), *const u_down = y.u.row(i + 1);
      const float *const v_up = y.v.row(i - 1), *const v_down = y.v.row(i + 1);
      float *const ku = k.u.row(i), *const kv = k.v.row(i);
      const auto rates = [&](std::int64_t j, float of_u, float of_v) {
        const float reaction = u[j] * v[j] * v[j];
        ku[j] = 0.16f * of_u - reaction + 0.06f * (1 - u[j]);
        kv[j] = 0.08f * of_v + reaction - 0.122f * v[j];
      };
      if (mask.empty()) {
#pragma omp simd
        for (std::int64_t j = 0; j < columns; ++j)
          rates(j, u[j - 1] + u[j + 1] + u_up[j] + u_down[j] - 4 * u[j],
                v[j - 1] + v[j + 1] + v_up[j] + v_down[j] - 4 * v[j]);
      } else {
        const float *const m = inside.row(i), *const up = inside.row(i - 1),
                           *const down = inside.row(i + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto laplacian = [&](const float* y_up, const float* at, const float* y_down) {
            return m[j] * (m[j - 1] * (at[j - 1] - at[j]) + m[j + 1] * (at[j + 1] - at[j]) +
                           up[j] * (y_up[j] - at[j]) + down[j] * (y_down[j] - at[j]));
          };
          rates(j, laplacian(u_up, u, u_down), laplacian(v_up, v, v_down));
          ku[j] *= m[j];
          kv[j] *= m[j];
        }
      }
      for (const bool of_v : {false, true}) {
        const auto row = [&](const State& of) { return (of_v ? of.v : of.u).row(i); };
        float* const to = row(next);
        const float *a[5] = {}, *const last = row(addends[count - 1].of);
        float w[5] = {};
        for (std::size_t n = 0; n < count; ++n) a[n] = row(addends[n].of), w[n] = addends[n].weight;
        if (count == 2) {
#pragma omp simd
          for (std::int64_t j = 0; j < columns; ++j) to[j] = w[0] * a[0][j] + w[1] * a[1][j];
        } else if (count == 3) {
#pragma omp simd
          for (std::int64_t j = 0; j < columns; ++j)
            to[j] = w[0] * a[0][j] + w[1] * a[1][j] + w[2] * a[2][j];
        } else if (count == 4) {
#pragma omp simd
          for (std::int64_t j = 0; j < columns; ++j)
            to[j] = w[0] * a[0][j] + w[1] * a[1][j] + w[2] * a[2][j] + w[3] * a[3][j];
        } else {
#pragma omp simd
          for (std::int64_t j = 0; j < columns; ++j)
            to[j] =
                w[0] * a[0][j] + w[1] * a[1][j] + w[2] * a[2][j] + w[3] * a[3][j] + w[4] * last[j];
        }
      }
    }
  };

  State u = new_state(), y = new_state(), z = new_state();
  State k1 = new_state(), k2 = new_state(), k3 = new_state(), k4 = new_state();
  of_cells(u.u, 0, false);
  of_cells(u.v, 1, false);
  double t = 0;
  for (std::int64_t step = 0; step < steps; ++step, t += dt) {
    if (scheme == "euler") {
      stage(u, t, k1, y, {{1, u}, {dt, k1}});
      std::swap(u, y);
    } else if (scheme == "rk4") {
      stage(u, t, k1, y, {{1, u}, {dt / 2, k1}});
      stage(y, t + dt / 2, k2, z, {{1, u}, {dt / 2, k2}});
      stage(z, t + dt / 2, k3, y, {{1, u}, {dt, k3}});
      stage(y, t + dt, k4, u, {{1, u}, {dt / 6, k1}, {dt / 3, k2}, {dt / 3, k3}, {dt / 6, k4}});
    } else if (scheme == "bs23") {
      stage(u, t, k1, y, {{1, u}, {dt / 2, k1}});
      stage(y, t + dt / 2, k2, z, {{1, u}, {dt * 3 / 4, k2}});
      stage(z, t + dt * 3 / 4, k3, u, {{1, u}, {dt * 2 / 9, k1}, {dt / 3, k2}, {dt * 4 / 9, k3}});
    } else {  // rkl2: Meyer, Balsara and Aslam, J. Comput. Phys. 257 (2014) 594
      constexpr int stages = 10;
      constexpr double w = 4.0 / (stages * stages + stages - 2);
      const auto b = [](int j) { return j < 2 ? 1.0 / 3 : (j * j + j - 2) / (2.0 * j * (j + 1)); };
      State before = u, now = y;
      stage(u, t, k1, now, {{1, u}, {static_cast<float>(b(1) * w * dt), k1}});
      for (int j = 2; j <= stages; ++j) {
        const double mu = (2.0 * j - 1) / j * b(j) / b(j - 1);
        const double nu = -(j - 1.0) / j * b(j) / b(j - 2);
        const State next = j == 2 ? z : before;
        stage(now, t, k2, next,
              {{static_cast<float>(1 - mu - nu), u},
               {static_cast<float>(mu), now},
               {static_cast<float>(nu), before},
               {static_cast<float>(-(1 - b(j - 1)) * mu * w * dt), k1},
               {static_cast<float>(mu * w * dt), k2}});
        before = now, now = next;
      }
      std::swap(u, now);
      y = before, z = now;
    }
  }
  of_cells(u.u, 0, true);
  of_cells(u.v, 1, true);
}

}  // namespace lapl
