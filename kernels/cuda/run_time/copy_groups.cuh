// Asynchronous copies from device to shared memory (PTX: cp.async), in groups per thread.
#pragma once

namespace lapl {

__device__ __forceinline__ void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most the last `groups` groups are unfinished.
template <int groups>
__device__ __forceinline__ void wait_but_for() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

}  // namespace lapl
