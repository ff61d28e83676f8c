// The module of FFTW for one precision.
#include "kernels/cpu/fftw_plan.hpp"

extern "C" const lapl::Fftw<LAPL_FFTW_VALUE> LAPL_FFTW_MODULE;
const lapl::Fftw<LAPL_FFTW_VALUE> LAPL_FFTW_MODULE = {};
