// LAPL_FOR_FLOATS(function) compiles a function template for float and double, in the file that
// defines it. The name must not be overloaded.
#pragma once

#define LAPL_FOR_FLOATS(function)                     \
  template decltype(function<float>) function<float>; \
  template decltype(function<double>) function<double>
