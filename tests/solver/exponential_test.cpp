// etdrk2 and etdrk4: their functions, orders, accuracy, and bits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "kernels/error.hpp"
#include "kernels/spectral/phi.hpp"
#include "solver/exponential_problem.hpp"
#include "tests/kernels/random_problems.hpp"
#include "tests/spectral_runs.hpp"

using namespace lapl;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double pi = std::numbers::pi;
const std::vector<Scheme> schemes = {Scheme::etdrk2, Scheme::etdrk4};

// Values of mpmath 1.3.0 with 80 digits.
struct PhiRow {
  double z, one, two, three;
};
// clang-format off
const std::vector<PhiRow> phi_rows = {
    {-1370000000000.0, 7.29927007299270073e-13, 7.2992700729873728e-13, 3.64963503649102243e-13},
    {-13700000000.0, 7.29927007299270073e-11, 7.29927007245990729e-11, 3.64963503596355693e-11},
    {-137000000.0, 7.29927007299270073e-9, 7.29927001971335713e-9, 3.64963498321700716e-9},
    {-1370000.0, 7.29927007299270073e-7, 7.29926474505834088e-7, 3.64962970856587952e-7},
    {-13700.0, 0.0000729927007299270073, 0.0000729873727955671586, 0.0000364910228195039732},
    {-137.0, 0.00729927007299270073, 0.00724599072939421386, 0.00359674459321610063},
    {-40.0, 0.0249999999999999999, 0.024375, 0.011890625},
    {-7.5, 0.133259588750646956, 0.115565388166580406, 0.0512579482444559459},
    {-5.01, 0.198269280777194565, 0.160026091661238617, 0.0678590635406709377},
    {-4.99, 0.199036940983520925, 0.160513639081458726, 0.0680333388614311142},
    {-3.7, 0.26358823608909745, 0.199030206462406085, 0.0813431874425929461},
    {-2.0, 0.432332358381693654, 0.283833820809153173, 0.108083089595423414},
    {-1.37, 0.544447474778977858, 0.332520091402205917, 0.122248108465543117},
    {-1.0, 0.632120558828557678, 0.367879441171442322, 0.132120558828557678},
    {-0.5, 0.786938680574733153, 0.426122638850533694, 0.147754722298932611},
    {-0.0137, 0.993181174819852142, 0.497724465704223206, 0.166097393852320695},
    {-0.000137, 0.99993150312805953, 0.499977167448686906, 0.166660958489738095},
    {-1.37e-06, 0.999999315000312817, 0.499999771666744871, 0.166666609583348974},
    {-1.37e-08, 0.999999993150000031, 0.499999997716666674, 0.166666666095833335},
    {-1.37e-10, 0.9999999999315, 0.499999999977166667, 0.166666666660958333},
    {-1.37e-12, 0.999999999999315, 0.499999999999771667, 0.166666666666609583},
    {-1.37e-14, 0.99999999999999315, 0.499999999999997717, 0.166666666666666096},
    {-1.37e-16, 0.999999999999999931, 0.499999999999999977, 0.166666666666666661},
    {-1.37e-18, 0.999999999999999999, 0.5, 0.166666666666666667},
    {1.37e-18, 1.0, 0.5, 0.166666666666666667},
    {1.37e-16, 1.00000000000000007, 0.500000000000000023, 0.166666666666666672},
    {1.37e-14, 1.00000000000000685, 0.500000000000002283, 0.166666666666667237},
    {1.37e-12, 1.000000000000685, 0.500000000000228333, 0.16666666666672375},
    {1.37e-10, 1.0000000000685, 0.500000000022833333, 0.166666666672375},
    {1.37e-08, 1.00000000685000003, 0.500000002283333341, 0.166666667237500002},
    {1.37e-06, 1.00000068500031282, 0.500000228333411538, 0.166666723750015641},
    {0.000137, 1.00006850312827381, 0.500022834115396428, 0.166672375156411905},
    {0.0137, 1.00688138910060942, 0.502291175226964722, 0.167239067661658523},
    {0.5, 1.29744254140025629, 0.594885082800512587, 0.189770165601025175},
    {1.0, 1.71828182845904524, 0.718281828459045235, 0.218281828459045235},
    {1.37, 2.1425917485185935, 0.834008575561017086, 0.243801879971545299},
    {2.0, 3.19452804946532511, 1.09726402473266256, 0.298632012366331278},
    {3.7, 10.6614336108290259, 2.6111982731970339, 0.570594127891090216},
    {4.99, 29.2457762516422482, 5.66047620273391724, 1.0341635676821477},
    {5.01, 29.7215042213666048, 5.73283517392547027, 1.04447807862783842},
    {7.5, 240.938988594141761, 31.9918651458855681, 4.19891535278474242},
    {40.0, 5884631670925499.61, 147115791773137.465, 3677894794328.42413},
    {137.0, 2.29944726275288461e+57, 1.6784286589437114e+55, 1.22513040798811051e+53},
};

// The functions of a + b i, real and imaginary parts in turn.
struct PairRow {
  double a, b;
  std::array<double, 6> phi;
};
const std::vector<PairRow> pair_rows = {
    {-0.3, 0.7, {0.800156951841137973, 0.276205551658929526, 0.43671862173949878, 0.0983249451957320037, 0.151399784681315128, 0.0255163469372952639}},
    {-30.0, 50.0, {0.00882352941176354808, 0.0147058823529400652, 0.00896193771626296965, 0.0144463667820069472, 0.00454513535518013479, 0.00709368003256665974}},
    {-2000.0, 900.0, {0.0004158004158004158, 0.00018711018711018711, 0.000415662536036756411, 0.000186954586122985291, 0.000207762356352481741, 0.0000933995830655552908}},
    {0.0, 3.0, {0.0470400026866224074, 0.663330832200148486, 0.221110277400049495, 0.317653332437792531, 0.105884444145930844, 0.0929632408666501682}},
};
// clang-format on

bool is_near(double found, double expected, double times_eps) {
  return std::abs(found - expected) <= times_eps * eps * std::abs(expected);
}

// An eigenmode between faces of a mixture (tests/spectral_runs.hpp) as a formula, and the
// eigenvalue of its second difference.
struct Mode {
  std::string text;
  double eigenvalue;
};
Mode mode_of(int mixture, std::int64_t nodes, const std::string& x) {
  const auto n = static_cast<double>(nodes);
  const double theta = mixture == 4   ? 2 * pi / n
                       : mixture == 3 ? pi / n
                       : mixture == 0 ? pi / (n + 1)
                                      : pi / (2 * n + 1);
  const std::string text = mixture == 4   ? fmt::format("cos({} * {})", x, theta)
                           : mixture == 3 ? fmt::format("cos(({} + 0.5) * {})", x, theta)
                           : mixture == 1 ? fmt::format("sin(({} - {}) * {})", n, x, theta)
                                          : fmt::format("sin(({} + 1) * {})", x, theta);
  return {text, 2 * std::cos(theta) - 2};
}

// u = q e^sin(t) between faces of these mixtures, of which the faces with values hold 0.
struct Manufactured {
  RunConfig run;
  std::string q;
};
Manufactured manufactured(const std::vector<std::int64_t>& extents, const std::vector<int>& faces) {
  Manufactured made{test::formula_run(Shape::of(extents), {{"u", "0"}}), "1"};
  double eigenvalue = 0;
  constexpr std::array names = {"z", "y", "x"};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t axis = 3 - extents.size() + i;
    test::set_faces(made.run, static_cast<int>(axis), faces[i]);
    const Mode mode = mode_of(faces[i], extents[i], names[axis]);
    made.q += " * " + mode.text;
    eigenvalue += mode.eigenvalue;
  }
  const std::string exact = "(" + made.q + ") * exp(sin(t))";
  made.run.equation.rates["u"] = fmt::format(
      "0.5 * laplacian(u) - 0.2 * u + cos(t) * u - 0.3 * u^3 + ({}) * {} + 0.3 * ({})^3",
      0.2 - 0.5 * eigenvalue, exact, exact);
  return made;
}

double error_of(const Manufactured& of, Scheme scheme, int steps) {
  RunConfig start = of.run;
  start.laws.clear();
  const auto q = test::value_of_formula(start, of.q, std::vector<double>(of.run.shape.cells()));
  RunConfig run = of.run;
  run.scheme = scheme;
  run.time_step = 2.0 / steps;
  const auto found = test::formula_stepped(run, q, steps, "auto", 1);
  double error = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    error = std::max(error, std::abs(found[i] - q[i] * std::exp(std::sin(2.0))));
  return error;
}

void check_orders(const std::vector<std::int64_t>& extents, const std::vector<int>& faces) {
  const Manufactured made = manufactured(extents, faces);
  for (const Scheme scheme : schemes) {
    CAPTURE(text_of(made.run.shape));
    CAPTURE(faces.front());
    CAPTURE(faces.back());
    CAPTURE(std::string(name_of(scheme)));
    const int steps = scheme == Scheme::etdrk2 ? 160 : 40;
    const double coarse = error_of(made, scheme, steps), fine = error_of(made, scheme, 2 * steps);
    CHECK(std::abs(std::log2(coarse / fine) - row_of(scheme).order) < 0.15);
    CHECK(fine < 1e-4);
  }
}

template <class T = double>
std::vector<T> stepped(RunConfig run, const std::vector<T>& state, std::int64_t steps,
                       int threads = 1) {
  return test::formula_stepped<T>(run, state, steps, "auto", threads);
}

RunConfig cahn_hilliard(Shape shape, double step) {
  RunConfig run = test::formula_run(shape, {{"u", "laplacian(u^3 - u - 0.5 * laplacian(u))"}});
  run.scheme = Scheme::etdrk2;
  run.linear_about = {1};
  run.time_step = step;
  return run;
}

}  // namespace

TEST_CASE("the phi functions are within 4 eps over 30 decades on both sides of 0") {
  CHECK(phi_of(0).one == 1);
  CHECK(phi_of(0).two == 0.5);
  CHECK(is_near(phi_of(0).three, 1.0 / 6, 1));
  for (const PhiRow& row : phi_rows) {
    CAPTURE(row.z);
    const Phi found = phi_of(row.z);
    CHECK(is_near(found.one, row.one, 4));
    CHECK(is_near(found.two, row.two, 4));
    CHECK(is_near(found.three, row.three, 4));
  }
}

TEST_CASE("the phi functions of matrices are those of their eigenvalues") {
  PhiOfMatrix phi(2);
  for (const PairRow& row : pair_rows) {
    CAPTURE(row.a);
    phi.compute({row.a, -row.b, row.b, row.a});
    const std::array found = {&phi.one, &phi.two, &phi.three};
    for (std::size_t k = 0; k < 3; ++k) {
      const double size = std::hypot(row.phi[2 * k], row.phi[2 * k + 1]);
      CHECK(std::abs((*found[k])[0] - row.phi[2 * k]) < 32 * eps * size);
      CHECK(std::abs((*found[k])[2] - row.phi[2 * k + 1]) < 32 * eps * size);
      CHECK((*found[k])[1] == -(*found[k])[2]);
    }
  }
  // A defective matrix: its functions have their derivatives beside the diagonal.
  for (const double z : {-3.0, -700.0, 0.25}) {
    phi.compute({z, 1, 0, z});
    const Phi here = phi_of(z);
    CHECK(is_near(phi.one[0], here.one, 32));
    CHECK(phi.one[1] == doctest::Approx((std::exp(z) - here.one) / z).epsilon(1e-12));
  }
}

TEST_CASE("etdrk2 and etdrk4 have their orders with every mixture of faces, on one to three axes") {
  for (int faces = 0; faces < test::face_mixtures; ++faces) {
    check_orders({9}, {faces});
    for (int other = 0; other < test::face_mixtures; ++other) check_orders({5, 6}, {faces, other});
    check_orders({4, 3, 5}, {faces, (faces + 2) % 5, (faces + 3) % 5});
  }
}

TEST_CASE("etdrk2 and etdrk4 are exact where the rates are linear, with steps of any size") {
  RunConfig run = test::formula_run({30, 41}, {{"u", "-laplacian(laplacian(u)) - 0.1 * u"}});
  run.boundaries = {Boundary::insulated, Boundary::periodic};
  const double row_theta = pi * 3 / 30, column_theta = 2 * pi * 2 / 41;
  const double lambda = 4 - 2 * std::cos(row_theta) - 2 * std::cos(column_theta);
  const std::vector<double> start = test::at_nodes(run, [&](double x, double y) {
    return std::cos((y + 0.5) * row_theta) * std::cos(x * column_theta);
  });
  for (const Scheme scheme : schemes)
    for (const double step : {1e-3, 1.0, 50.0}) {
      run.scheme = scheme;
      run.time_step = step;
      std::vector<double> expected = start;
      for (double& value : expected) value *= std::exp(-3 * step * (lambda * lambda + 0.1));
      CHECK(test::largest_difference(stepped(run, start, 3), expected) < 2e-14);
    }
}

TEST_CASE("etdrk2 and etdrk4 are exact where fields are coupled: waves with friction") {
  RunConfig run = test::formula_run({1, 32}, {{"u", "v"}, {"v", "9 * laplacian(u) - 0.2 * v"}});
  const double theta = 2 * pi * 3 / 32, square = 9 * (2 - 2 * std::cos(theta));
  const double w = std::sqrt(square - 0.01);
  std::vector<double> start =
      test::at_nodes(run, [&](double x, double) { return std::cos(x * theta); });
  start.resize(64);
  for (const Scheme scheme : schemes) {
    run.scheme = scheme;
    run.time_step = 0.7;
    const auto found = stepped(run, start, 10);
    for (std::size_t i = 0; i < 32; ++i)
      CHECK(found[i] == doctest::Approx(start[i] * std::exp(-0.7) *
                                        (std::cos(7 * w) + 0.1 / w * std::sin(7 * w)))
                            .epsilon(1e-12));
  }
}

TEST_CASE("etdrk2 and etdrk4 couple fields with other faces on the grid") {
  for (const Scheme scheme : schemes) {
    RunConfig run = test::formula_run(
        {6, 9}, {{"u", "laplacian(u) - u + 0.3 * v"}, {"v", "0.5 * laplacian(v) + 0.4 * u - v^2"}});
    run.boundaries = {Boundary::insulated, Boundary::insulated};
    run.laws.push_back(
        {.axis = 2, .last = true, .array = "v", .kind = LawKind::value, .value = "0.5 + 0.1 * y"});
    const std::vector<double> start = test::random_field<double>({12, 9});
    RunConfig plain = run;
    run.scheme = scheme;
    plain.scheme = Scheme::rk4;
    plain.time_step = 0.005;
    const auto exact = test::formula_stepped(plain, start, 400);
    const auto error = [&](double step, std::int64_t steps) {
      run.time_step = step;
      return test::largest_difference(stepped(run, start, steps), exact);
    };
    const double coarse = error(0.1, 20), fine = error(0.05, 40);
    CHECK(std::abs(std::log2(coarse / fine) - row_of(scheme).order) < 0.5);
    CHECK(fine < 0.01);
  }
}

TEST_CASE("etdrk2 keeps the mass of Cahn-Hilliard, and lets its energy fall, in long steps") {
  RunConfig run = cahn_hilliard({48, 40}, 2);  // 100 times that of euler in the gallery
  std::vector<double> state = test::random_field<double>(run.shape);
  for (double& value : state) value = 0.2 * (value - 0.5);
  const auto mass = [](const std::vector<double>& of) {
    long double sum = 0;
    for (const double value : of) sum += value;
    return static_cast<double>(sum);
  };
  const auto energy = [&](const std::vector<double>& of) {
    const auto cells =
        test::value_of_formula(run, "0.25 * (v^2 - 1)^2 + 0.25 * gradient_squared(v)", of);
    return mass(cells);
  };
  const double first = mass(state);
  double before = energy(state);
  for (int i = 0; i < 60; ++i) {
    state = stepped(run, state, 4);
    const double now = energy(state);
    CHECK(now <= before);
    before = now;
  }
  CHECK(std::abs(mass(state) - first) < 1e-10);
  CHECK(test::largest_magnitude(state) > 0.8);
  CHECK(test::largest_magnitude(state) < 1.1);
}

TEST_CASE_TEMPLATE("etdrk2 and etdrk4 have the same bits on any number of threads and if split", T,
                   float, double) {
  for (const Scheme scheme : schemes)
    for (const bool measures : {false, true}) {
      RunConfig run = test::formula_run({37, 50}, {{"u", "laplacian(u) - u^3 + v * sin(t)"},
                                                   {"v", "u - v + 0.2 * laplacian(v)"}});
      run.boundaries = {Boundary::periodic, Boundary::insulated};
      run.scheme = scheme;
      run.scheme.varies = measures;
      run.time_step = 0.3;
      if (measures) run.scheme.tolerance = {1e-3, 1e-3};
      const std::vector<T> start = test::random_field<T>({74, 50});
      const auto of_threads = [&](int threads, std::vector<std::int64_t> parts) {
        std::vector<T> state = start;
        std::int64_t step = 0;
        for (const std::int64_t part : parts) {
          const auto backend =
              make_backend<T>("cpu", "auto", problem_to_step<T>(Model(run), {}), threads);
          backend->settle();
          backend->set_state(state, step);
          for (std::int64_t i = 0; i < part; ++i) backend->advance(1);
          if (measures) CHECK(backend->largest_error() > 0);
          state = copy_of_state(*backend);
          step += part;
        }
        return state;
      };
      const std::vector<T> one = of_threads(1, {7});
      for (const int threads : {2, 3}) CHECK(test::same_bits<T>(of_threads(threads, {7}), one));
      CHECK(test::same_bits<T>(of_threads(2, {2, 4, 1}), one));
    }
}

TEST_CASE("a rejected step of etdrk2 and etdrk4 leaves the bits of one that was not tried") {
  for (const Scheme scheme : schemes) {
    RunConfig run = test::formula_run({12, 20}, {{"u", "laplacian(u) + cos(t) * u - u^3"}});
    run.scheme = scheme;
    run.scheme.varies = true;
    run.scheme.tolerance = {1e-3, 1e-3};
    const std::vector<double> start = test::random_field<double>(run.shape);
    const auto last = [&](bool tries) {
      const auto backend =
          make_backend<double>("cpu", "auto", problem_to_step<double>(Model(run), {}), 1);
      backend->set_state(start);
      backend->set_clock({.step = 0.1});
      backend->advance(1);
      backend->set_clock({.step = 0.2, .start = 0.1, .start_step = 1});
      if (tries) {
        backend->set_clock({.step = 0.9, .start = 0.1, .start_step = 1});
        backend->advance(1);
        backend->take_back();
        backend->set_clock({.step = 0.2, .start = 0.1, .start_step = 1});
      }
      backend->advance(1);
      const double error = backend->largest_error();
      CHECK(error > 0);
      std::vector<double> state = copy_of_state(*backend);
      state.push_back(error);
      return state;
    };
    CHECK(test::same_bits<double>(last(true), last(false)));
  }
}

TEST_CASE(
    "the errors that etdrk2 and etdrk4 measure have their orders, and the size of the error") {
  for (const Scheme scheme : schemes) {
    RunConfig run = test::formula_run({8, 9}, {{"u", "0.2 * laplacian(u) + u - u^3"}});
    const std::vector<double> start = test::random_field<double>(run.shape);
    const auto error_at = [&](double step) {
      RunConfig one = run;
      one.scheme = scheme;
      one.scheme.varies = true;
      one.scheme.tolerance = {1e-300, 1};
      one.time_step = step;
      const auto backend =
          make_backend<double>("cpu", "auto", problem_to_step<double>(Model(one), {}), 1);
      backend->set_state(start);
      backend->advance(1);
      return backend->largest_error();
    };
    const int order = scheme == Scheme::etdrk2 ? 3 : 4;
    CHECK(std::abs(std::log2(error_at(0.02) / error_at(0.01)) - order) < 0.2);
    RunConfig fine = run;
    fine.scheme = Scheme::dopri5;
    fine.time_step = 0.001;
    RunConfig one = run;
    one.scheme = scheme;
    one.time_step = 0.02;
    const double true_error =
        test::largest_difference(stepped(one, start, 1), test::formula_stepped(fine, start, 20));
    CHECK(error_at(0.02) > 0.3 * true_error);
  }
}

TEST_CASE("random problems: short steps of etdrk2 and etdrk4 are those of rk4") {
  const std::uint64_t first = test::number_from("LAPL_RANDOM_SEED", 1);
  const std::uint64_t count = test::number_from("LAPL_RANDOM_PROBLEMS", 150);
  int taken = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    test::RandomProblem problem(seed);
    CAPTURE(seed);
    problem.run.scheme = schemes[seed % 2];
    problem.run.linear_about = {seed % 3 == 0 ? 0.5 : 0};
    problem.run.time_step = 1e-5;
    try {
      if (!why_not_exponential(problem.run).empty()) continue;
    } catch (const std::runtime_error&) {
      continue;  // not a valid problem
    }
    std::vector<double> state = test::random_field<double>(
        {problem.run.shape.cells(), static_cast<std::int64_t>(problem.run.fields.size())});
    RunConfig plain = problem.run;
    plain.scheme = Scheme::rk4;
    const auto expected = test::formula_stepped(plain, state, 2, "interpreted", 1);
    const auto found = test::formula_stepped(problem.run, state, 2, "auto", 1);
    plain.scheme = Scheme::midpoint;
    const auto other = test::formula_stepped(plain, state, 2, "interpreted", 1);
    const double change = test::largest_difference(expected, state);
    const bool finite =
        std::ranges::all_of(expected, [](double value) { return std::isfinite(value); });
    if (!finite || change > 1e-3 || test::largest_difference(expected, other) > 1e-5 * change)
      continue;  // not smooth there
    CAPTURE(problem.text());
    CHECK(test::largest_difference(found, expected) <= 1e-3 * change + 1e-13);
    CHECK(test::same_bits<double>(
        test::formula_stepped(problem.run, state, 2, "auto", problem.threads), found));
    ++taken;
  }
  CHECK(taken * 10 >= static_cast<int>(count));
}

TEST_CASE("etdrk2 and etdrk4 refuse what they cannot step, with the reason") {
  const auto why = [](const std::string& rate, auto change) {
    RunConfig run = test::formula_run({8, 9}, {{"u", rate}});
    run.parameters["s"] = test::formula_parameter("x");
    run.scheme = Scheme::etdrk2;
    change(run);
    return why_not_exponential(run);
  };
  const auto as_it_is = [](RunConfig&) {};
  const auto between_faces = [](RunConfig& run) {
    run.boundaries = {Boundary::insulated, Boundary::zero};
  };
  const std::string heat = "laplacian(u)";
  for (const char* const rest :
       {"", " + s * u", " - u^3", " + sin(t) * u", " - u * d_dx(u)", " - y * d_dx(u)",
        " + laplacian(u^3)", " + divergence(u^2 * gradient(u))", " + d2_dxdy(u)", " + s * u^2"})
    CHECK(why(heat + rest, as_it_is).empty());
  CHECK(why("divergence(s * gradient(u))", as_it_is) ==
        "the rate of u multiplies u and its neighbours by a factor that depends on s, which is not "
        "the same everywhere (rkl2, bs23 and dopri5 take such factors)");
  CHECK(why("(2 + sin(y)) * laplacian(u) + s * u", as_it_is).find("depends on y") !=
        std::string::npos);
  CHECK(why("cos(t) * laplacian(laplacian(u))", as_it_is).find("depends on t") !=
        std::string::npos);
  CHECK(why("d_dx(s * d_dx(u))", as_it_is).find("depends on s") != std::string::npos);
  CHECK(why("-laplacian(laplacian(u))", between_faces) ==
        "a quantity that the rate of u reads beside a cell has other faces than it");
  CHECK(why("d_dx(d_dx(u))", [](RunConfig& run) {
          run.boundaries = {Boundary::insulated, Boundary::insulated};
        }).find("is not the same when an axis between faces is turned round") != std::string::npos);
  CHECK(why(heat,
            [](RunConfig& run) {
              run.boundaries = {Boundary::insulated, Boundary::insulated};
              run.laws.push_back({.axis = 1,
                                  .last = true,
                                  .array = "",
                                  .kind = LawKind::mixed,
                                  .value = "1",
                                  .factor = "1"});
            }) ==
        "the last face of the rows has a mixed law, or a value at: face (values one cell outside "
        "and derivatives have modes)");
}
