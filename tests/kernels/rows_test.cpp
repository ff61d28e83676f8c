// The row functions of diffusion on three axes against the stage, cell by cell.
#include <doctest/doctest.h>

#include <vector>

#include "kernels/cpu/row_loops.hpp"
#include "kernels/machine/host_buffer.hpp"
#include "tests/kernels/usable_loops.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

TEST_CASE_TEMPLATE("rows of diffusion, one and several at a time, equal the stage for every width",
                   T, float, double) {
  constexpr std::int64_t columns = 80, pitch = 144, beside = 32;
  const std::vector<T> field = test::random_field<T>({13, pitch});
  const T coefficient = static_cast<T>(0.15);
  const DiffusionStage<T> stage{coefficient};
  // Rows 0 to 4 of the plane, of which 1 to 3 are computed; then the rows of the planes before and
  // after.
  const auto row = [&](int number) { return field.data() + number * pitch + beside; };
  const T* const lines[] = {row(1), row(0), row(2), row(6), row(9)};
  for (const RowLoops<T>* loops : test::usable_loops<RowLoops<T>>())
    for (std::int64_t count = 1; count <= columns; ++count)
      for (const std::int64_t from : {0, 1, 16}) {
        CAPTURE(std::string(loops->instruction_set));
        CAPTURE(count);
        CAPTURE(from);
        const auto check = [&](int rows, const auto& make) {
          HostBuffer<T> made(3 * pitch, 1);
          make(made.data() + from);
          std::vector<T> expected(3 * pitch);
          for (int k = 0; k < rows; ++k)
            for (std::int64_t i = 0; i < count; ++i) {
              const auto at = [&](int line) { return lines[line] + k * pitch + i; };
              expected[k * pitch + from + i] =
                  stage(at(0)[-1], at(0)[1], *at(1), *at(2), *at(3), *at(4), *at(0));
            }
          CHECK(test::same_bits<T>(made.view(), expected));
        };
        check(1, [&](T* out) { loops->diffusion_row(lines, &coefficient, &out, count); });
        for (const int rows : {1, 2, 3})
          for (const auto function : {loops->diffusion_rows, loops->stream_diffusion_rows})
            check(rows, [&](T* out) {
              function({lines, pitch, coefficient, out, pitch}, rows, count);
            });
      }
}
