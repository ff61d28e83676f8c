# Options of all our targets: warnings, and no contraction of a*b+c, so that fma is used only where the code says so
# and all backends give the same bits. Nobody replaces our functions at run time.
add_library(lapl_options INTERFACE)
target_include_directories(lapl_options INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(lapl_options INTERFACE OpenMP::OpenMP_CXX)

set(host_flags -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
               -Woverloaded-virtual -ffp-contract=off -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND host_flags -Wno-restrict)  # GCC 12 warns wrongly about std::string's operator+ (bug 105651)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Clang warns about loops that it does not vectorise, and about variable templates that are defined in other files.
  list(APPEND host_flags -Wno-pass-failed -Wno-undefined-var-template)
endif()
target_compile_options(lapl_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${host_flags}>"
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${LAPL_WERROR}>>:-Werror>
  "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Xcompiler=-ffp-contract=off;-Xcompiler=-Wall>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${LAPL_WERROR}>>:-Werror;all-warnings>")
