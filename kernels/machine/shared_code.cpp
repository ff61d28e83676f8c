#include "kernels/machine/shared_code.hpp"

#include <utility>

#include "kernels/cpu/compiler/compiled_code.hpp"

namespace lapl {

SharedCode::SharedCode(CodeText text)
    : compiled_(std::make_unique<CompiledCode>(std::move(text))) {}

SharedCode::~SharedCode() = default;

bool SharedCode::ready() {
  if (!compiled_->ready()) return false;
  compiled_->offer();
  return true;
}

}  // namespace lapl
