// Normal random numbers that depend only on a key and a counter: Philox4x32-10 (Salmon et al.,
// "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011), then the formula of Box and Muller. Each
// draw has
//
//   counter   cell low, cell high, step low, step high    cell: the index in the whole grid
//   key       seed low, use                               use: which `noise` of the formulas
//
// If the seed has more than 32 bits, its high word takes the place of the use in the key, and the
// use is combined with the step (noise_words), so that no two uses ever have the same draws. A draw
// needs no state, and is the same on every engine and rank and after every restart. Code compiled
// at run time gets the words of step and key as arguments, in the bits of numbers.
#pragma once

#include "kernels/stages/operations.hpp"

namespace lapl {

using DrawWord = unsigned int;

struct PhiloxBlock {
  DrawWord of[4];
};

/// The words after `rounds` rounds. Recursive, because GCC vectorises no loop around a loop.
template <int rounds>
LAPL_HOST_DEVICE PhiloxBlock philox_rounds(PhiloxBlock block, DrawWord key_low, DrawWord key_high) {
  if constexpr (rounds == 0) {
    return block;
  } else {
    const unsigned long long first = 0xd2511f53ull * block.of[0];
    const unsigned long long second = 0xcd9e8d57ull * block.of[2];
    return philox_rounds<rounds - 1>({{static_cast<DrawWord>(second >> 32) ^ block.of[1] ^ key_low,
                                       static_cast<DrawWord>(second),
                                       static_cast<DrawWord>(first >> 32) ^ block.of[3] ^ key_high,
                                       static_cast<DrawWord>(first)}},
                                     key_low + 0x9e3779b9u, key_high + 0xbb67ae85u);
  }
}
/// The four random words of a counter and a key.
LAPL_HOST_DEVICE PhiloxBlock philox(PhiloxBlock counter, DrawWord key_low, DrawWord key_high) {
  return philox_rounds<10>(counter, key_low, key_high);
}

/// The words of a draw that are the same in all cells.
struct DrawWords {
  DrawWord step_low, step_high, key_low, key_high;
};

/// A number of mean 0 and variance 1: sqrt(-2 log u) cos(angle), with u in (0, 1].
template <class T>
LAPL_HOST_DEVICE T normal_draw(DrawWord cell_low, DrawWord cell_high, const DrawWords& words) {
  const PhiloxBlock block = philox({{cell_low, cell_high, words.step_low, words.step_high}},
                                   words.key_low, words.key_high);
  const T u = fused_multiply_add(static_cast<T>(block.of[0]), T(0x1p-32), T(0x1p-33));
  const T angle = static_cast<T>(block.of[1]) * T(0x1.921fb54442d18p-30);  // 2 pi / 2^32
  // the cosine of formulas, without its branch for huge angles
  const T cosine = elementary::Cosine::of(elementary::reduced_angle(angle), angle);
  return square_root(T(-2) * logarithm(u)) * cosine;
}

/// Words are passed in arrays of numbers, each in the low bits of a number.
template <class T>
LAPL_HOST_DEVICE DrawWord as_word(T number) {
  return static_cast<DrawWord>(elementary::as_bits(number));
}
template <class T>
LAPL_HOST_DEVICE T with_word(DrawWord word) {
  return elementary::from_bits<T>(elementary::Bits<T>(word));
}
template <class T>
LAPL_HOST_DEVICE DrawWords draw_words(const T* of) {
  return {as_word(of[0]), as_word(of[1]), as_word(of[2]), as_word(of[3])};
}

/// The draw in a cell of a row whose first cell has the index (row_low, row_high) in the grid;
/// `low` and `high` are the words of the cell's column.
template <class T>
LAPL_HOST_DEVICE T draw_in_row(DrawWord row_low, DrawWord row_high, DrawWord low, DrawWord high,
                               const DrawWords& words) {
  const DrawWord sum = row_low + low;
  return normal_draw<T>(sum, row_high + high + (sum < low ? 1u : 0u), words);
}

/// The draw in the cell of this index in the grid.
template <class T>
LAPL_HOST_DEVICE T draw_in_cell(unsigned long long cell, const DrawWords& words) {
  return normal_draw<T>(static_cast<DrawWord>(cell), static_cast<DrawWord>(cell >> 32), words);
}

}  // namespace lapl
