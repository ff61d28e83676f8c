// The functions of rows of diffusion on three axes against the stage, cell by cell.
#include "kernels/cpu/rows.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kernels/cpu/host_buffer.hpp"
#include "tests/kernels/usable_loops.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

TEST_CASE_TEMPLATE("rows of diffusion, one and two at once, equal the stage for every width", T,
                   float, double) {
  constexpr std::int64_t columns = 80, pitch = 144, beside = 32;
  const std::vector<T> field = test::random_field<T>({12, pitch});
  const T uniforms[] = {T(-6), T(0.15)};
  const DiffusionStage<T> stage{uniforms[1]};
  // Rows 0 to 3 of the plane, of which 1 and 2 are made, then those of the planes beside it.
  const auto row = [&](int number) { return field.data() + number * pitch + beside; };
  const T* const lines[] = {row(1), row(0), row(2), row(4), row(5),
                            row(2), row(1), row(3), row(6), row(7)};
  for (const RowLoops<T>* loops : test::usable_loops<RowLoops<T>>())
    for (std::int64_t count = 1; count <= columns; ++count)
      for (const std::int64_t from : {0, 1, 16}) {
        CAPTURE(std::string(loops->instruction_set));
        CAPTURE(count);
        CAPTURE(from);
        const auto check = [&](auto function, int rows) {
          HostBuffer<T> made(2 * pitch, 1);
          T* const out[] = {made.data() + from, made.data() + pitch + from};
          function(lines, uniforms, out, count);
          std::vector<T> expected(2 * pitch);
          for (int k = 0; k < rows; ++k)
            for (std::int64_t i = 0; i < count; ++i) {
              const T* const* const of = lines + 5 * k;
              expected[k * pitch + from + i] = stage(of[0][i - 1], of[0][i + 1], of[1][i], of[2][i],
                                                     of[3][i], of[4][i], of[0][i]);
            }
          CHECK(test::same_bits<T>(made.view(), expected));
        };
        check(loops->diffusion_row, 1);
        check(loops->diffusion_rows, 2);
        check(loops->stream_diffusion_rows, 2);
      }
}
