// The phi functions of exponential schemes against mpmath's, and the factors made of them.
#include "kernels/spectral/phi.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/spectral/exponential_factors.hpp"

using namespace lapl;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

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

}  // namespace

TEST_CASE("the phi functions are within 4 eps over 30 decades on both sides of 0") {
  CHECK(phi_values(0).one == 1);
  CHECK(phi_values(0).two == 0.5);
  CHECK(is_near(phi_values(0).three, 1.0 / 6, 1));
  for (const PhiRow& row : phi_rows) {
    CAPTURE(row.z);
    const Phi found = phi_values(row.z);
    CHECK(is_near(found.one, row.one, 4));
    CHECK(is_near(found.two, row.two, 4));
    CHECK(is_near(found.three, row.three, 4));
  }
}

TEST_CASE("the phi functions of matrices are those of their eigenvalues") {
  PhiOfMatrix<2> phi;
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
    const Phi here = phi_values(z);
    CHECK(is_near(phi.one[0], here.one, 32));
    CHECK(phi.one[1] == doctest::Approx((std::exp(z) - here.one) / z).epsilon(1e-12));
  }
  phi.compute({-std::numeric_limits<double>::infinity(), 1, 0, -1});
  CHECK(std::isnan(phi.one[0]));  // no value passes for finite; the run ends
}

TEST_CASE("every mode has the factors of its own rate between all faces") {
  const std::array<AxisFaces<double>, 3> kinds = {Boundary::periodic, Boundary::insulated,
                                                  AxisFaces<double>({0, 0}, {0, 1})};
  const std::vector<std::vector<std::int64_t>> shapes = {{1}, {2}, {7}, {8}, {5, 6}, {4, 5, 3}};
  for (const auto& extents : shapes)
    for (std::size_t faces = 0; faces < 27; ++faces) {
      const Shape shape = Shape::of(extents);
      CAPTURE(shape_text(shape));
      CAPTURE(faces);
      ExponentialRates::Group group;
      group.faces.columns = kinds[faces % 3];
      if (shape.axes > 1) group.faces.rows = kinds[faces / 3 % 3];
      if (shape.axes > 2) group.faces.planes = kinds[faces / 9];
      ModeRate rate{-0.2, {{2, {0, 0, 1}}}};
      if (shape.axes > 1) rate.terms.push_back({3, {0, 2, 1}});
      if (shape.axes > 2) rate.terms.push_back({5, {1, 1, 0}});
      const std::int64_t cells = shape.cells(), lines = cells / extents.front();
      std::vector<double> rates(cells);
      for (std::int64_t line = 0; line < lines; ++line)
        RatesOfModes(rate, group.faces, shape).for_line(line, [&](std::int64_t mode, double of) {
          rates[mode * lines + line] = of;
        });
      constexpr double dt = 0.3;
      const auto factors = [&](int fields, const std::vector<ModeRate>& linear) {
        group.fields.resize(fields);
        group.linear = linear;
        const ExponentialFactors of(group, 2, shape);
        std::vector<double> made(of.values());
        of.compute(dt, made.data(), 2);
        return made;
      };
      const auto alone = factors(1, {rate});
      const auto coupled = factors(2, {rate, {1, {}}, {-1, {}}, rate});
      PhiOfMatrix<2> phi;
      for (std::int64_t at = 0; at < cells; ++at) {
        CHECK(alone[at] == rates[at]);
        CHECK(alone[cells + at] == dt * phi_values(dt * rates[at]).one);
        phi.compute({dt * rates[at], dt, -dt, dt * rates[at]});
        for (int i = 0; i < 4; ++i) CHECK(coupled[(4 + i) * cells + at] == dt * phi.one[i]);
      }
    }
}
