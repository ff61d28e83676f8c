# Writes build/generated/version.hpp at each build: version, commit, compiler and flags.
add_custom_target(lapl_version_header
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE=${CMAKE_SOURCE_DIR}
    -DOUTPUT=${CMAKE_BINARY_DIR}/generated/lapl_version.hpp
    -DVERSION=${PROJECT_VERSION}
    -DCOMPILER=${CMAKE_CXX_COMPILER_ID}\ ${CMAKE_CXX_COMPILER_VERSION}
    -DBUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCUDA=$<IF:$<BOOL:${LAPL_HAS_CUDA}>,${CMAKE_CUDA_COMPILER_VERSION},none>
    -P ${CMAKE_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/lapl_version.hpp
  VERBATIM)
add_library(lapl_version INTERFACE)
target_include_directories(lapl_version INTERFACE ${CMAKE_BINARY_DIR}/generated)
add_dependencies(lapl_version lapl_version_header)
