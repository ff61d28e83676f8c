// Engines against the reference engine, and the reference engine against mathematics.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <utility>

#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/digest.hpp"
#include "kernels/stages/diffusion.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

// Compiles the code of engine threaded, so that the next such engine begins with it.
template <class T>
void into_cache(const Problem<T>& problem) {
  make_backend<T>("cpu", "threaded", problem, 1)->settle();
}

}  // namespace

TEST_CASE_TEMPLATE("every CPU engine equals the reference engine to the bit" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  const std::int64_t sizes[] = {1, 2, 3, 31, 33, 127, 129};
  for (const std::int64_t rows : sizes)
    for (const std::int64_t columns : sizes)
      for (const Boundary along_rows : test::all_boundaries)
        for (const Boundary along_columns : test::all_boundaries) {
          const Problem<T> problem =
              test::diffusion<T>({rows, columns}, {along_rows, along_columns}, T(0.2));
          into_cache(problem);
          const auto field = test::random_field<T>(problem.shape);
          for (const std::int64_t steps : {1, 2, 7}) {
            const auto expected =
                test::stepped<T>("cpu", "reference", problem, std::span(field), steps);
            for (const EngineInfo& engine : engine_table) {
              if (engine.backend != "cpu" || engine.name == "reference") continue;
              CAPTURE(engine.name);
              CAPTURE(rows);
              CAPTURE(columns);
              CAPTURE(steps);
              const auto found =
                  test::stepped<T>("cpu", std::string(engine.name), problem, field, steps, 3);
              REQUIRE(test::same_bits<T>(found.field, expected.field));
              REQUIRE(test::same_bits<T>(found.laplacian, expected.laplacian));
              REQUIRE(found.digest == expected.digest);
            }
          }
        }
}

// Takes `steps` steps from step 3 on and returns the state. Waits for the compiled code first.
template <class T>
std::vector<T> compiled_and_stepped(const std::string& engine, const Problem<T>& problem,
                                    const std::vector<T>& state, std::int64_t steps, int threads) {
  const auto backend = make_backend<T>("cpu", engine, problem, threads);
  backend->settle();
  backend->set_state(state, 3);
  backend->advance(steps);
  return copy_of_state(*backend);
}

TEST_CASE_TEMPLATE("three axes: every CPU engine equals the reference engine to the bit" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  const std::int64_t sizes[] = {1, 2, 3, 17, 31, 67};
  const Face<T> conditions[] = {{0, 0}, {0, 1}, {T(0.7), 0}, {T(-0.3), T(0.9)}, {0, T(-1)}};
  unsigned number = 0;
  const auto below = [&](unsigned count) {
    return ((number = number * 1103515245 + 12345) >> 16) % count;
  };
  const auto faces = [&]() -> AxisFaces<T> {
    if (below(3) == 0) return Boundary::periodic;
    const Face<T> first = conditions[below(5)];
    return {first, conditions[below(5)]};
  };
  for (const std::int64_t planes : sizes)
    for (const std::int64_t rows : sizes)
      for (const std::int64_t columns : sizes) {
        const Shape shape{rows, columns, planes, 3};
        const Problem<T> problem = test::diffusion<T>(shape, {faces(), faces(), faces()}, T(0.15));
        const auto field = test::random_field<T>(shape);
        const std::int64_t steps = 1 + below(shape.cells() < 20'000 ? 30 : 9);
        const auto expected = compiled_and_stepped<T>("reference", problem, field, steps, 1);
        for (const char* const engine : {"interpreted", "threaded", "blocked"}) {
          CAPTURE(planes);
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(steps);
          CAPTURE(std::string(engine));
          const auto found = compiled_and_stepped<T>(engine, problem, field, steps,
                                                     1 + static_cast<int>(below(4)));
          REQUIRE(test::same_bits<T>(found, expected));
        }
      }
}

// A stage that reads all 27 neighbours, a coefficient and the coordinate z; a second stage reads
// its result.
template <class T>
Problem<T> problem_of_corners(Shape shape, const Faces<T>& faces) {
  Problem<T> problem{.shape = shape, .faces = std::vector(3, faces)};
  problem.coefficients.push_back(shared_values(test::random_field<T>(shape, 5)));
  for (AxisFaces<T>* axis :
       {&problem.faces[1].planes, &problem.faces[1].rows, &problem.faces[1].columns})
    if (!axis->wrap()) *axis = Boundary::insulated;  // like the faces of all coefficients
  problem.spacing = {0.5, 1, 0.25};
  const auto made = [&](int array, int target) {
    StageTree tree;
    int sum = tree.operate(Operation::product, tree.value(1, {.plane = 1, .row = -1}),
                           tree.position(0, {}));
    for (int plane : {-1, 0, 1})
      for (int row : {-1, 0, 1})
        for (int column : {-1, 0, 1})
          sum = tree.operate(Operation::fused_multiply_add,
                             tree.number(0.01 * (1 + 9 * plane + 3 * row + column)),
                             tree.value(array, {plane, row, column}), sum);
    tree.results = {sum};
    problem.stages.push_back({.tree = tree, .targets = {target}});
  };
  made(0, 2);
  made(2, 0);
  // Conditions that depend on place and time, at the first row and the last plane.
  StageTree condition;
  condition.results = {
      condition.operate(Operation::sum, condition.position(2, {}), condition.time()),
      condition.operate(Operation::product, condition.position(1, {}), condition.number(0.125))};
  problem.conditions = {condition};
  if (!faces.rows.wrap()) problem.faces[0].rows.first = Face<T>::varying(0);
  if (!faces.planes.wrap()) problem.faces[2].planes.last = Face<T>::varying(0);
  if (!faces.columns.wrap()) problem.faces[0].columns.last = Face<T>::varying(0);
  return problem;
}

TEST_CASE_TEMPLATE(
    "three axes: all engines take corners, conditions in time and space, coefficients and two "
    "stages" *
        doctest::test_suite("moderate"),
    T, float, double) {
  const AxisFaces<T> condition(Face<T>{T(0.5), T(-1)}, Face<T>{T(2), T(0.25)});
  const AxisFaces<T> periodic = Boundary::periodic;
  const std::pair<Shape, Faces<T>> cases[] = {{{13, 37, 11, 3}, {condition, condition, condition}},
                                              {{1, 70, 5, 3}, {periodic, condition, periodic}},
                                              {{19, 1, 23, 3}, {condition, periodic, periodic}},
                                              {{29, 41, 1, 3}, {periodic, periodic, condition}},
                                              {{7, 300, 9, 3}, {periodic, periodic, condition}},
                                              {{1, 257, 1, 1}, {condition, periodic}},
                                              {{1, 31, 1, 1}, {{}, condition}}};
  for (const auto& one : cases) {
    const Shape shape = one.first;
    const Problem<T> problem = problem_of_corners(shape, one.second);
    const auto field = test::random_field<T>(shape);
    const auto expected = compiled_and_stepped<T>("reference", problem, field, 11, 1);
    for (const char* const engine : {"interpreted", "threaded", "blocked"}) {
      CAPTURE(shape_text(shape));
      CAPTURE(std::string(engine));
      CHECK(test::same_bits<T>(compiled_and_stepped<T>(engine, problem, field, 11, 3), expected));
    }
  }
}

TEST_CASE_TEMPLATE("every engine imposes the condition of each face" * doctest::test_suite("slow"),
                   T, float, double) {
  const Face<T> conditions[] = {{0, 0}, {0, 1}, {T(0.7), 0}, {T(-0.3), T(0.9)}, {0, T(-1)}};
  unsigned number = 0;
  for (const EngineInfo& engine : engine_table) {
    if (engine.name == "reference" || (engine.backend == "cuda" && !cuda_unavailable().empty()))
      continue;
    for (const Shape shape : {Shape{1, 1}, Shape{1, 70}, Shape{37, 5}, Shape{129, 140}})
      for (int i = 0; i < 10; ++i) {
        const auto condition = [&] {
          return conditions[(number = number * 1103515245 + 12345) >> 16 & 3];
        };
        AxisFaces<T> rows(condition(), condition()),
            columns(condition(), conditions[number >> 20 & 1 ? 4 : 1]);
        if (i % 5 == 4) (i % 2 ? rows : columns) = Boundary::periodic;
        const Problem<T> problem = test::diffusion<T>(shape, {rows, columns}, T(0.2));
        CAPTURE(engine.name);
        CAPTURE(number);
        if (engine.name == "threaded") into_cache(problem);
        const auto field = test::random_field<T>(shape);
        const auto expected = test::stepped<T>("cpu", "reference", problem, std::span(field), 21);
        try {
          const auto found = test::stepped<T>(std::string(engine.backend), std::string(engine.name),
                                              problem, field, 21, 3);
          CHECK(test::same_bits<T>(found.field, expected.field));
          CHECK(test::same_bits<T>(found.laplacian, expected.laplacian));
        } catch (const EngineUnsuitable&) {  // engines that support only odd and even faces
          CHECK((engine.name == "resident" || engine.name == "streaming"));
          CHECK((!as_extensions(problem.faces.front()) || shape.columns < 12));
        }
      }
  }
}

TEST_CASE_TEMPLATE("engines agree on long and thin grids, and after many steps", T, float, double) {
  for (const Shape shape : {Shape{1, 4099}, Shape{4099, 1}, Shape{8, 10007}, Shape{61, 67}}) {
    const Problem<T> problem =
        test::diffusion<T>(shape, {Boundary::periodic, Boundary::insulated}, T(0.25));
    const auto field = test::random_field<T>(shape);
    const std::int64_t steps = shape.cells() < 5000 ? 1000 : 25;
    CHECK(test::stepped<T>("cpu", "threaded", problem, field, steps).digest ==
          test::stepped<T>("cpu", "reference", problem, field, steps).digest);
  }
}

TEST_CASE_TEMPLATE("one step equals a calculation by hand", T, float, double) {
  //
  // 1 2 3      neighbours of the centre, 5: 2 + 8 + 4 + 6 = 20 = 4 * 5, so the Laplacian is 0;
  // 4 5 6      of the corner, 1, with zero boundary: 2 + 4 - 4 * 1 = 2
  // 7 8 9
  const std::vector<T> field = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto after = [&](Boundary boundary) {
    return test::stepped<T>("cpu", "reference",
                            test::diffusion<T>({3, 3}, {boundary, boundary}, T(0.25)), field, 0, 2,
                            T(4));
  };
  CHECK(after(Boundary::zero).laplacian[0] == T(2) / 4);
  CHECK(after(Boundary::zero).laplacian[4] == 0);
  CHECK(after(Boundary::insulated).laplacian[0] == T(4) / 4);  // 1 + 2 + 1 + 4 - 4
  CHECK(after(Boundary::periodic).laplacian[0] == T(12) / 4);  // 3 + 2 + 7 + 4 - 4
  const Problem<T> problem = test::diffusion<T>({3, 3}, {}, T(0.25));
  CHECK(test::stepped<T>("cpu", "reference", problem, field, 1).field[0] == T(1.5));
}

TEST_CASE_TEMPLATE("the Laplacian of a quadratic is exact", T, float, double) {
  const Shape shape{12, 17};
  std::vector<T> field;
  for (int row = 0; row < 12; ++row)
    for (int column = 0; column < 17; ++column)
      field.push_back(static_cast<T>(3 * row * row - column * column + row * column + 5));
  const auto state =
      test::stepped<T>("cpu", "threaded", test::diffusion<T>(shape, {}, T(0.1)), field, 0, 2, T(4));
  for (int row = 1; row < 11; ++row)
    for (int column = 1; column < 16; ++column)
      CHECK(state.laplacian[static_cast<std::size_t>(row * 17 + column)] == T(4) / T(4));
}

TEST_CASE_TEMPLATE("insulated and periodic grids conserve mass, no boundary makes new extremes", T,
                   float, double) {
  const Shape shape{40, 53};
  auto field = test::random_field<T>(shape);
  const double mass = std::accumulate(field.begin(), field.end(), 0.0);
  const auto [low, high] = std::ranges::minmax(field);
  for (const Boundary boundary : test::all_boundaries) {
    const auto after = test::stepped<T>(
        "cpu", "threaded", test::diffusion<T>(shape, {boundary, boundary}, T(0.25)), field, 200);
    const auto [new_low, new_high] = std::ranges::minmax(after.field);
    CHECK(new_low >= low);
    CHECK(new_high <= high);
    const double new_mass = std::accumulate(after.field.begin(), after.field.end(), 0.0);
    const double allowed = static_cast<double>(shape.cells()) * test::rounding_gate<T>(200, 1);
    if (boundary != Boundary::zero) CHECK(std::abs(new_mass - mass) <= allowed);
  }
}

TEST_CASE_TEMPLATE("mirroring and transposing commute with stepping, to the bit", T, float,
                   double) {
  const Shape shape{23, 37}, transposed_shape{37, 23};
  const auto field = test::random_field<T>(shape);
  const auto transposed = [&](const std::vector<T>& from) {
    std::vector<T> to(from.size());
    for (std::size_t row = 0; row < 23; ++row)
      for (std::size_t column = 0; column < 37; ++column)
        to[column * 23 + row] = from[row * 37 + column];
    return to;
  };
  for (const Boundary boundary : test::all_boundaries) {
    const Problem<T> problem = test::diffusion<T>(shape, {boundary, Boundary::zero}, T(0.2));
    const Problem<T> turned =
        test::diffusion<T>(transposed_shape, {Boundary::zero, boundary}, T(0.2));
    const auto after = test::stepped<T>("cpu", "threaded", problem, field, 9).field;
    CHECK(
        test::same_bits<T>(test::stepped<T>("cpu", "threaded", turned, transposed(field), 9).field,
                           transposed(after)));
    // The field mirrored along both axes.
    std::vector<T> mirrored(field.rbegin(), field.rend());
    mirrored = test::stepped<T>("cpu", "threaded", problem, mirrored, 9).field;
    CHECK(test::same_bits<T>(std::vector<T>(mirrored.rbegin(), mirrored.rend()), after));
  }
}

TEST_CASE_TEMPLATE("the digest sees each bit and each place" * doctest::test_suite("moderate"), T,
                   float, double) {
  const Shape shape{5, 7};
  auto field = test::random_field<T>(shape);
  const Problem<T> problem = test::diffusion<T>(shape, {}, T(0.2));
  const auto digest = [&] { return test::stepped<T>("cpu", "blocked", problem, field, 0).digest; };
  const std::uint64_t before = digest();
  std::uint64_t by_hand = 0;
  for (std::size_t i = 0; i < field.size(); ++i) by_hand += digest_term(i, field[i]);
  CHECK(before == by_hand);
  for (std::size_t byte = 0; byte < field.size() * sizeof(T); ++byte) {
    auto* bytes = reinterpret_cast<unsigned char*>(field.data());
    bytes[byte] ^= 0x10;
    CHECK(digest() != before);
    bytes[byte] ^= 0x10;
  }
  std::swap(field[3], field[4]);
  CHECK(digest() != before);
}

TEST_CASE("a backend captures nothing anew while a capture is held") {
  const auto backend =
      make_backend<float>("cpu", "auto", test::diffusion<float>({8, 8}, {}, 0.2f), 1);
  const auto field = test::random_field<float>({8, 8});
  backend->set_state(field);
  Capture<float> capture = backend->capture();
  const Capture<float> copy = std::exchange(capture, {});
  backend->advance(1);
  CHECK_THROWS_AS(static_cast<void>(backend->capture()), std::logic_error);
  CHECK(test::same_bits<float>(copy.wait().state, field));
}

TEST_CASE_TEMPLATE("the first value that is not finite is found", T, float, double) {
  const Shape shape{50, 70};
  auto field = test::random_field<T>(shape);
  const auto backend = make_backend<T>("cpu", "auto", test::diffusion<T>(shape, {}, T(0.2)), 2);
  const auto found = [&] {
    backend->set_state(field);
    const auto checked = backend->reduce({}, std::numeric_limits<double>::infinity())().first;
    const auto capture = backend->capture();
    const auto first = capture.wait().first_not_finite;
    REQUIRE(first.has_value() == checked.has_value());
    if (checked) CHECK(test::holds_values_around(*checked, field, shape));
    return first;
  };
  CHECK(!found());
  field[3000] = std::numeric_limits<T>::quiet_NaN();
  CHECK(found() == 3000);
  field[2999] = -std::numeric_limits<T>::infinity();
  CHECK(found() == 2999);
}

TEST_CASE("the values around one that is not finite end at the edges of the grid") {
  for (const Shape shape : {Shape{1, 1}, {1, 9}, {9, 1}, {2, 3}, {4, 7}}) {
    for (std::int64_t index = 0; index < shape.cells(); ++index) {
      auto field = test::random_field<float>(shape);
      field[static_cast<std::size_t>(index)] = std::numeric_limits<float>::quiet_NaN();
      CHECK(test::holds_values_around(found_value_at(index, field.data(), shape), field, shape));
    }
  }
}

TEST_CASE("many stages take far less memory than a row for each of their operations") {
  const auto bytes_each = [](int stages) {
    Problem<double> problem = test::diffusion<double>({8, 8}, {}, 0.2);
    Stage stage = problem.stages.front();
    for (int i = 0; i < 30; ++i)
      stage.tree.results = {stage.tree.operate(Operation::sum, stage.tree.results.front(), i)};
    stage.tree = without_unused(stage.tree);
    problem.stages.assign(static_cast<std::size_t>(stages), stage);
    const std::size_t before = ::mallinfo2().uordblks;
    const auto backend = make_backend<double>("cpu", "interpreted", problem, 1);
    return (::mallinfo2().uordblks - before) / static_cast<std::size_t>(stages);
  };
  CHECK(bytes_each(200) < 16'000);  // rows for each of 37 operations would take 150,000 bytes
}

TEST_CASE("the name that Clang's OpenMP gives a process is gone once it computes") {
  const std::string name =
      fmt::format("/dev/shm/__KMP_REGISTERED_LIB_{}_{}", ::getpid(), ::getuid());
  const auto compute = [] {
    make_backend<float>("cpu", "interpreted", test::diffusion<float>({4, 4}, {}, 0.2f), 2);
  };
  compute();  // Clang's OpenMP would fail to start if the file existed
  CHECK(!std::filesystem::exists(name));
  std::ofstream(name) << "a name";
  compute();
  CHECK(!std::filesystem::exists(name));
}

TEST_CASE("an engine is refused on another backend, and an unknown one anywhere") {
  const Problem<float> problem = test::diffusion<float>({4, 4}, {}, 0.2f);
  CHECK_THROWS_WITH_AS(make_backend<float>("cpu", "tile", problem, 1),
                       "engine tile: not an engine of the cpu backend", ConfigError);
  CHECK_THROWS_AS(make_backend<float>("cpu", "warp", problem, 1), ConfigError);
}

TEST_CASE("a grid beyond the memory of the machine is refused with both numbers") {
  const Problem<double> problem = test::diffusion<double>({1 << 20, 1 << 20}, {}, 0.2);
  CHECK_THROWS_WITH_AS(make_backend<double>("cpu", "auto", problem, 1),
                       doctest::Contains("the grid needs 26.4 TB of host memory"), DeviceError);
}
