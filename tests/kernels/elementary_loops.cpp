// Compiled once for each instruction set.
#include "tests/kernels/elementary_loops.hpp"

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/elementary/elementary_rows.hpp"

namespace lapl {

template <class T>
constexpr test::ElementaryLoops<T> elementary_loops = {
    exponential_row<T>, logarithm_row<T>,          sine_row<T>, cosine_row<T>,
    tangent_row<T>,     hyperbolic_tangent_row<T>, power_row<T>};

template <>
const test::ElementaryLoops<float>
    Compiled<test::ElementaryLoops<float>, LAPL_INSTRUCTION_SET>::loops = elementary_loops<float>;
template <>
const test::ElementaryLoops<double>
    Compiled<test::ElementaryLoops<double>, LAPL_INSTRUCTION_SET>::loops = elementary_loops<double>;

}  // namespace lapl
