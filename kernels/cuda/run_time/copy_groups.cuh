// Asynchronous copies from device memory to shared memory, in groups of a thread (PTX: cp.async).
#pragma once

namespace lapl {

__device__ __forceinline__ void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Until so many groups, the last ones, are all that is on its way.
template <int groups>
__device__ __forceinline__ void wait_but_for() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

}  // namespace lapl
