// A field in the memory of a GPU for other libraries of Python, by DLPack. The structures are those
// of its C interface, dlpack.h version 0.8 (https://dmlc.github.io/dlpack/latest/c_api.html).
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lapl {

/// Keeps memory. In a fork of the process it stays for good, as threads that destructors would wait
/// for are missing there.
struct Held {
  std::shared_ptr<const void> memory;
  pid_t process = getpid();

  explicit Held(std::shared_ptr<const void> kept) : memory(std::move(kept)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (getpid() != process) new std::shared_ptr<const void>(std::move(memory));
  }
};

struct DlDevice {
  std::int32_t type = 2;  // CUDA
  std::int32_t index = 0;
};
struct DlType {
  std::uint8_t code = 2;  // floating point
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;
};
struct DlTensor {
  void* data = nullptr;
  DlDevice device = {};
  std::int32_t axes = 0;
  DlType type = {};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // values
  std::uint64_t offset = 0;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* context = nullptr;
  void (*deleter)(DlManagedTensor*) = nullptr;
};

/// A capsule "dltensor" of the tensor, whose memory lives as long as the capsule, or as long as the
/// array that a library makes of it.
inline pybind11::capsule dlpack_capsule(DlTensor tensor, std::vector<std::int64_t> shape,
                                        std::vector<std::int64_t> strides,
                                        std::shared_ptr<const void> owner) {
  struct Exported {
    std::vector<std::int64_t> shape, strides;
    Held held;
    DlManagedTensor managed;
  };
  auto* const made = new Exported{.shape = std::move(shape),
                                  .strides = std::move(strides),
                                  .held = Held(std::move(owner)),
                                  .managed = {.tensor = tensor}};
  made->managed.tensor.axes = static_cast<std::int32_t>(made->shape.size());
  made->managed.tensor.shape = made->shape.data();
  made->managed.tensor.strides = made->strides.data();
  made->managed.context = made;
  made->managed.deleter = [](DlManagedTensor* of) { delete static_cast<Exported*>(of->context); };
  return pybind11::capsule(&made->managed, "dltensor", [](PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor")) return;  // a library has taken it
    auto* const unused = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    unused->deleter(unused);
  });
}

}  // namespace lapl
