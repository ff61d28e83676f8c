// LAPL_HOST_DEVICE marks a function that both CPU and GPU call.
#pragma once

#ifdef __CUDACC__
#define LAPL_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define LAPL_HOST_DEVICE inline __attribute__((always_inline))
#endif
