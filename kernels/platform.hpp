// One body for CPU and GPU: marks a function that both the host and the device call.
#pragma once

#ifdef __CUDACC__
#define LAPL_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define LAPL_HOST_DEVICE inline __attribute__((always_inline))
#endif
