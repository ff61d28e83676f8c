// CUDA kernels compiled at run time: NVRTC's output, which needs no device, and the results.
#include "kernels/cuda/run_time/compiled_kernels.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/run_time/engine_kernels.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/formula_run.hpp"
#include "tests/kernels/fake_compiler.hpp"
#include "tests/text.hpp"

using namespace lapl;
using test::has;

namespace {

const KernelText products = {
    .source =
        "#include \"sum.hpp\"\n"
        "extern \"C\" __global__ void run(const float* a, const float* b, const float* c,\n"
        "                                float* d, float* e) {\n"
        "  const int i = threadIdx.x;\n"
        "  d[i] = sum(a[i] * b[i], c[i]);\n"
        "  e[i] = sqrtf(fabsf(a[i])) / b[i];\n"
        "}\n",
    .headers = {{"sum.hpp", "__device__ inline float sum(float x, float y) { return x + y; }"}}};

}  // namespace

TEST_CASE("kernels are compiled to machine code where there is no device") {
  for (const int architecture : {80, 90}) {
    const Cubin cubin = compile_cubin(products, architecture);
    CAPTURE(cubin.messages);
    CHECK(cubin.unavailable == "");
    REQUIRE(cubin.code.size() > 4);
    CHECK(std::string(cubin.code.data() + 1, 3) == "ELF");
  }
}

TEST_CASE("kernels that somebody has compiled are not compiled again") {
  const test::EmptyCache cache;
  const auto files = [&] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(cache / "lapl"))
      count += entry.path().extension() == ".code" ? 1 : 0;
    return count;
  };
  const Cubin compiled = cached_cubin(products, 90);
  REQUIRE(compiled.unavailable == "");
  CHECK(files() == 1);
  CHECK(cached_cubin(products, 90).code == compiled.code);
  CHECK(files() == 1);
  KernelText other = products;
  other.headers["sum.hpp"] += " ";
  CHECK(cached_cubin(other, 90).unavailable == "");
  CHECK(files() == 2);
  other.flags = {"-DX"};
  CHECK(cached_cubin(other, 90).unavailable == "");
  CHECK(files() == 3);
  CHECK(cached_cubin(products, 80).code != compiled.code);
  CHECK(files() == 4);
  // A failure is not kept.
  CHECK(has(cached_cubin(products, 20).unavailable, "NVRTC"));
  CHECK(files() == 4);
}

TEST_CASE("kernels with a fault are reported with NVRTC's words") {
  const Cubin cubin = compile_cubin({.source = "#include \"nothing.hpp\"\n"}, 90);
  CHECK(has(cubin.unavailable, "NVRTC for compute capability 9.0"));
  CHECK(has(cubin.messages, "kernels.cu(1)"));
  const Cubin unknown = compile_cubin(products, 20);
  CHECK(has(unknown.unavailable, "NVRTC for compute capability 2.0"));
  CHECK(unknown.code.empty());
}

TEST_CASE("kernels compiled at run time compute with the arithmetic of all others") {
  test::need_cuda();
  CompiledKernels kernels(products);
  kernels.wait();
  CAPTURE(kernels.messages());
  REQUIRE(kernels.unavailable() == "");
  CHECK(kernels.ready());
  constexpr int count = 256;
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(count), b(count), c(count), d(count), e(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = uniform(generator);
    b[i] = uniform(generator);
    c[i] = -a[i] * b[i] + uniform(generator) / 1024;
  }
  const Stream stream;
  const auto on_device = device_buffer<float>(5 * count);
  float* at[5];
  for (int i = 0; i < 5; ++i) at[i] = on_device.data() + i * count;
  const auto copy = [&](void* to, const void* from) {
    LAPL_CUDA(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDefault, stream));
  };
  copy(at[0], a.data());
  copy(at[1], b.data());
  copy(at[2], c.data());
  kernels.kernel("run").launch(1, dim3(count), 0, stream, {&at[0], &at[1], &at[2], &at[3], &at[4]});
  copy(d.data(), at[3]);
  copy(e.data(), at[4]);
  LAPL_CUDA(cudaStreamSynchronize(stream));
  for (std::size_t i = 0; i < count; ++i) {
    const volatile float product = a[i] * b[i];
    REQUIRE(d[i] == product + c[i]);
    REQUIRE(e[i] == std::sqrt(std::abs(a[i])) / b[i]);
  }
  CHECK_THROWS_AS(kernels.kernel("nothing"), DeviceError);
}

// The tests below plan and compile without a device.
namespace {
constexpr DeviceLimits limits{.processors = 132, .shared_bytes = 227 << 10, .cooperative = true};
}  // namespace

TEST_CASE("engine streaming says for which grid it could step a formula") {
  const auto why = [](Shape shape, const std::string& rate) {
    RunConfig run = test::formula_run(shape, {{"u", rate}});
    run.precision = Precision::float32;
    const auto problem = make_problem<float>(Model(run), {});
    return shape.axes == 3 ? volume_plan(problem, limits).unsuitable
                           : stream_plan(problem, limits).unsuitable;
  };
  const std::string rate = "0.1 * laplacian(u) - u^3";
  const auto refused = [](const char* found, const char* expected) {
    return fmt::format("engine streaming: {} cells do not fit its pieces ({} would)", found,
                       expected);
  };
  CHECK(why({2048, 2048}, rate).empty());
  CHECK(why({2047, 2047}, rate).empty());
  CHECK(why({511, 511, 511, 3}, rate).empty());
  // rows, columns, planes
  CHECK(why({2, 511, 100, 3}, rate) == refused("100 x 2 x 511", "100 x 8 x 512"));
  CHECK(why({8, 512, 100, 3}, rate).empty());
  const Shape narrow{2048, 20};
  const std::string wider = why(narrow, rate);
  const std::int64_t columns = std::stoll(wider.substr(wider.find("(2048 x ") + 8));
  CHECK(why({2048, columns}, rate).empty());
  CHECK_FALSE(why({2048, columns - 4}, rate).empty());
  std::string longer = rate;
  for (int i = 0; i < 9; ++i)
    longer += fmt::format(" + sin({} * u) * laplacian(u^{})", i + 2, i + 2);
  CHECK(why({2048, 2048}, longer) ==
        "engine streaming: the step has too many operations, arrays or stages for it to pay");
}

TEST_CASE("rows whose boundary condition varies are no mirror images, whatever array has it") {
  RunConfig run = test::formula_run({640, 640}, {{"u", "0.01 * laplacian(w)"}});
  run.equation.quantities = {{"w", "u - laplacian(u)"}};
  run.boundaries.rows = Boundary::insulated;
  const auto plan = [&] { return stream_plan(make_problem<double>(Model(run), {}), limits); };
  REQUIRE(plan().unsuitable == "");
  CHECK(plan().mirrors_rows);
  for (const bool last : {false, true})
    for (const char* const value : {"sin(3 * t)", "0.5"}) {
      run.conditions.clear();
      for (const bool side : {false, true})
        run.conditions.push_back({.axis = 1,
                                  .last = side,
                                  .array = "u",
                                  .kind = ConditionKind::derivative,
                                  .value = "0"});
      for (const bool side : {false, true})
        run.conditions.push_back(
            {.axis = 1,
             .last = side,
             .array = "w",
             .kind = side == last ? ConditionKind::value : ConditionKind::derivative,
             .value = side == last ? value : "0"});
      CAPTURE(value);
      CHECK_FALSE(plan().mirrors_rows);
      const Problem<double> problem = make_problem<double>(Model(run), {});
      CHECK(varying_faces(problem).size() == (std::string(value) == "0.5" ? 0 : 1));
    }
}

TEST_CASE("tile kernels of more arrays than a kernel's parameters hold take tables in memory") {
  RunConfig run = test::formula_run({64, 64}, {{"u", "laplacian(u) - u^3 * t"}});
  CHECK_FALSE(has_tables_in_memory(make_problem<double>(Model(run), {})));
  Problem<double> problem = make_problem<double>(Model(run), {});
  problem.coefficients.resize(180);
  problem.faces.resize(181, problem.faces.front());
  REQUIRE(has_tables_in_memory(problem));
  const Cubin cubin = compile_cubin(tile_kernels(problem), 90);
  CAPTURE(cubin.messages);
  CHECK(cubin.unavailable == "");
}

TEST_CASE_TEMPLATE("kernels that stream rows of any width compile", T, float, double) {
  for (const Boundary columns : {Boundary::periodic, Boundary::zero})
    for (const Shape shape :
         {Shape{90, 511}, Shape{.rows = 40, .columns = 261, .planes = 9, .axes = 3}}) {
      RunConfig run = test::formula_run(shape, {{"u", "0.1 * laplacian(u) + d2_dxdy(u) - u^3"}});
      run.boundaries.columns = columns;
      const auto problem = make_problem<T>(Model(run), {});
      const KernelText text = [&] {
        if (shape.axes == 2) return stream_kernel(problem, stream_plan(problem, limits));
        return volume_kernel(problem, volume_plan(problem, limits));
      }();
      const Cubin cubin = compile_cubin(text, 90);
      CAPTURE(cubin.messages);
      CHECK(cubin.unavailable == "");
    }
}

TEST_CASE_TEMPLATE("kernels of conditions that differ along sides compile", T, float, double) {
  for (const char* const value : {"sin(x)", "sin(x + t)"}) {
    RunConfig run = test::formula_run({90, 511}, {{"u", "0.1 * laplacian(u) + d2_dxdy(u)"}});
    run.boundaries = {Boundary::zero, Boundary::zero};
    for (const bool last : {false, true})
      for (const int axis : {1, 2})
        run.conditions.push_back({.axis = axis,
                                  .last = last,
                                  .array = "u",
                                  .kind = ConditionKind::value,
                                  .value = axis == 1 ? value : "y"});
    const auto problem = make_problem<T>(Model(run), {});
    const StreamPlan plan = stream_plan(problem, limits);
    REQUIRE(plan.unsuitable == "");
    CHECK(plan.tables == 4);
    const Cubin cubin = compile_cubin(stream_kernel(problem, plan), 90);
    CAPTURE(cubin.messages);
    CHECK(cubin.unavailable == "");
  }
}

TEST_CASE_TEMPLATE("kernels whose warps share a step compile, and fit the device", T, float,
                   double) {
  for (const Scheme scheme : {Scheme::rk4, Scheme::bs23, Scheme::dopri5})
    for (const bool by_error : {false, true}) {
      if (by_error && scheme == Scheme::rk4) continue;
      RunConfig run =
          test::formula_run({90, 511}, {{"u", "0.16 * laplacian(u) - u * v^2"},
                                        {"v", "0.08 * laplacian(v) + u * v^2 - 0.1 * v"}});
      run.scheme = scheme;
      if (by_error) {
        run.scheme.tolerance = Tolerance{.relative = 1e-4, .absolute = 1e-5};
        run.scheme.varies = true;
      }
      const auto problem = make_problem<T>(Model(run), {});
      const StreamPlan plan = stream_plan(problem, limits);
      CAPTURE(plan.unsuitable);
      REQUIRE(plan.unsuitable == "");
      CHECK(plan.sizes.depth() == std::ssize(problem.stages));
      CHECK(plan.sizes.levels < std::ssize(problem.stages));
      CHECK(plan.sizes.shared_bytes() * plan.blocks <= limits.shared_bytes);
      const Cubin cubin = compile_cubin(stream_kernel(problem, plan), 90);
      CAPTURE(cubin.messages);
      CHECK(cubin.unavailable == "");
      DeviceLimits small = limits;
      small.shared_bytes = plan.sizes.shared_bytes() - 1;
      const StreamPlan smaller = stream_plan(problem, small);
      CHECK((smaller.unsuitable != "" || smaller.sizes.shared_bytes() <= small.shared_bytes));
    }
  // Strips of so many stages would compute most columns twice.
  RunConfig run = test::formula_run({2048, 2048}, {{"u", "0.1 * laplacian(u)"}});
  run.scheme = {Scheme::rkl2, 28};
  CHECK(stream_plan(make_problem<double>(Model(run), {}), limits).unsuitable != "");
}
