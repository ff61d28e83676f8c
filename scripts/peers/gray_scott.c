// Steps Gray-Scott with OpenMP on a periodic grid, from u and v to u_new and v_new and back. One
// version is the plain loop; the other treats the first and last column separately, so that the
// compiler vectorises the loop. Compiler options define the constants in capitals.
#define AT(field, row, column) field[(row)*columns + (column)]

static inline void update(const float* u, const float* v, float* u_new, float* v_new, long columns,
                          long up, long row, long down, long left, long column, long right) {
  const float u_here = AT(u, row, column), v_here = AT(v, row, column);
  const float u_laplacian = (AT(u, row, left) + AT(u, row, right)) +
                            (AT(u, up, column) + AT(u, down, column)) - 4 * u_here;
  const float v_laplacian = (AT(v, row, left) + AT(v, row, right)) +
                            (AT(v, up, column) + AT(v, down, column)) - 4 * v_here;
  const float reaction = u_here * v_here * v_here;
  AT(u_new, row, column) = u_here + (U_DIFFUSIVITY * u_laplacian - reaction + FEED * (1 - u_here));
  AT(v_new, row, column) =
      v_here + (V_DIFFUSIVITY * v_laplacian + reaction - (FEED + KILL) * v_here);
}

void wrapped(float* u, float* v, float* u_new, float* v_new, long rows, long columns) {
#pragma omp parallel for schedule(static)
  for (long row = 0; row < rows; ++row) {
    const long up = row > 0 ? row - 1 : rows - 1, down = row < rows - 1 ? row + 1 : 0;
    for (long column = 0; column < columns; ++column) {
      const long left = column > 0 ? column - 1 : columns - 1;
      const long right = column < columns - 1 ? column + 1 : 0;
      update(u, v, u_new, v_new, columns, up, row, down, left, column, right);
    }
  }
}

void peeled(float* u, float* v, float* u_new, float* v_new, long rows, long columns) {
#pragma omp parallel for schedule(static)
  for (long row = 0; row < rows; ++row) {
    const long up = row > 0 ? row - 1 : rows - 1, down = row < rows - 1 ? row + 1 : 0;
    update(u, v, u_new, v_new, columns, up, row, down, columns - 1, 0, 1);
#pragma omp simd
    for (long column = 1; column < columns - 1; ++column)
      update(u, v, u_new, v_new, columns, up, row, down, column - 1, column, column + 1);
    update(u, v, u_new, v_new, columns, up, row, down, columns - 2, columns - 1, 0);
  }
}
