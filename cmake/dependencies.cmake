# Libraries, all packaged in Debian 12 and Ubuntu 24.04 (scripts/packages lists the packages).
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 REQUIRED COMPONENTS C HL)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PNG REQUIRED)

# Optional: without it lapl plot says that it was built without.
find_path(CAIRO_INCLUDE_DIR cairo.h PATH_SUFFIXES cairo)
find_library(CAIRO_LIBRARY cairo)
if(CAIRO_INCLUDE_DIR AND CAIRO_LIBRARY)
  add_library(lapl_cairo INTERFACE)
  target_include_directories(lapl_cairo SYSTEM INTERFACE ${CAIRO_INCLUDE_DIR})
  target_link_libraries(lapl_cairo INTERFACE ${CAIRO_LIBRARY})
else()
  message(STATUS "lapl: cairo not found, so lapl plot cannot draw")
endif()

find_path(FFTW_INCLUDE_DIR fftw3.h REQUIRED)
find_library(FFTW_LIBRARY fftw3 REQUIRED)
find_library(FFTWF_LIBRARY fftw3f REQUIRED)
add_library(lapl_fftw INTERFACE)
target_include_directories(lapl_fftw SYSTEM INTERFACE ${FFTW_INCLUDE_DIR})
target_link_libraries(lapl_fftw INTERFACE ${FFTW_LIBRARY} ${FFTWF_LIBRARY})

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(lapl_xxhash INTERFACE)
target_include_directories(lapl_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

# yaml-cpp 0.7 (Debian 12) names its target without a namespace.
if(TARGET yaml-cpp::yaml-cpp)
  set(LAPL_YAML yaml-cpp::yaml-cpp)
else()
  set(LAPL_YAML yaml-cpp)
endif()
