# Libraries, all packaged in Debian 12, Debian 13 and Ubuntu 24.04 (scripts/packages lists the packages). GNU's OpenMP
# is linked as an archive, because it reads its settings in its constructor, which then runs after the one in
# app/main.cpp. Targets that are shared libraries set LAPL_SHARED and get shared libraries instead.
set(LAPL_SHARED $<BOOL:$<TARGET_PROPERTY:LAPL_SHARED>>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT OpenMP_gomp_LIBRARY MATCHES "[.]a$")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a
                  OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE "${archive}")
    set(OpenMP_gomp_LIBRARY ${archive} CACHE FILEPATH "GNU's OpenMP" FORCE)
  else()
    message(STATUS "lapl: ${CMAKE_CXX_COMPILER} has no libgomp.a, so threads spin as GOMP_SPINCOUNT says, or for long")
  endif()
endif()
find_package(OpenMP COMPONENTS CXX)
if(NOT OpenMP_CXX_FOUND)
  set(packages "")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    string(REGEX MATCH "^[0-9]+" major ${CMAKE_CXX_COMPILER_VERSION})
    set(packages ", which packages libomp-dev and libomp-${major}-dev have for Clang")
  endif()
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} finds no OpenMP${packages}")
endif()
if(OpenMP_gomp_LIBRARY MATCHES "[.]a$")
  get_target_property(libraries OpenMP::OpenMP_CXX INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM libraries REPLACE "^.*libgomp[.]a$" "$<IF:${LAPL_SHARED},gomp,\\0>")
  set_property(TARGET OpenMP::OpenMP_CXX PROPERTY INTERFACE_LINK_LIBRARIES ${libraries})
endif()
find_package(Threads REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
include(cmake/hdf5.cmake)

# find_plain_library(TARGET HEADER LIBRARY...) makes an imported target for a library without CMake files, if its
# header and all its libraries are found. Tests hide a library by naming it in LAPL_HIDDEN.
function(find_plain_library target header)
  if(target IN_LIST LAPL_HIDDEN)
    return()
  endif()
  find_path(${target}_INCLUDE_DIR ${header} PATH_SUFFIXES cairo)
  set(found ${${target}_INCLUDE_DIR})
  foreach(library ${ARGN})
    find_library(${target}_${library}_LIBRARY ${library})
    list(APPEND found ${${target}_${library}_LIBRARY})
  endforeach()
  mark_as_advanced(${target}_INCLUDE_DIR)
  if("${found}" MATCHES "NOTFOUND")
    return()
  endif()
  list(POP_FRONT found include_directory)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE ${include_directory})
  target_link_libraries(${target} INTERFACE ${found})
endfunction()

find_plain_library(lapl_shared_fftw fftw3.h fftw3 fftw3f)
find_plain_library(lapl_static_fftw fftw3.h libfftw3.a libfftw3f.a)  # so that the program loads fewer libraries
add_library(lapl_fftw INTERFACE)
if(TARGET lapl_shared_fftw AND TARGET lapl_static_fftw)
  target_link_libraries(lapl_fftw INTERFACE $<IF:${LAPL_SHARED},lapl_shared_fftw,lapl_static_fftw>)
elseif(TARGET lapl_shared_fftw)
  target_link_libraries(lapl_fftw INTERFACE lapl_shared_fftw)
endif()
find_plain_library(lapl_with_cairo cairo.h cairo)
if(NOT TARGET lapl_shared_fftw)
  message(FATAL_ERROR "FFTW not found: fftw3.h, libfftw3 and libfftw3f")
endif()
if(NOT TARGET lapl_with_cairo)  # optional: without it lapl plot reports that it cannot draw
  message(STATUS "lapl: cairo not found, so lapl plot cannot draw")
endif()

find_plain_library(lapl_with_netcdf netcdf_mem.h netcdf)
find_plain_library(lapl_with_tiff tiffio.h tiff)
if(NOT TARGET lapl_with_netcdf)  # optional, as libtiff: without them these inputs are refused
  message(STATUS "lapl: libnetcdf not found, so inputs may not be netCDF-3 (netCDF-4 is HDF5)")
endif()
if(NOT TARGET lapl_with_tiff)
  message(STATUS "lapl: libtiff not found, so inputs may not be TIFF")
endif()

# The packaged library was compiled with these definitions, on which its classes depend.
find_plain_library(lapl_with_httplib httplib.h cpp-httplib)
if(TARGET lapl_with_httplib)
  target_compile_definitions(lapl_with_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT
                                                         CPPHTTPLIB_BROTLI_SUPPORT)
else()  # optional: without it lapl watch --web is refused
  message(STATUS "lapl: cpp-httplib not found, so lapl watch serves no page")
endif()

# Static where there is an archive, so that the program loads fewer libraries.
find_plain_library(lapl_with_deflate libdeflate.h libdeflate.a)
if(NOT TARGET lapl_with_deflate)
  find_plain_library(lapl_with_deflate libdeflate.h deflate)
endif()
if(NOT TARGET lapl_with_deflate)  # optional: without it zlib compresses outputs, slower
  message(STATUS "lapl: libdeflate not found, so output.compression takes longer")
endif()

# Optional: without it lapl run --ranks reports that it was built without MPI. Only MPI's C interface is needed.
if(LAPL_MPI)
  find_package(MPI COMPONENTS C)  # defines its target even if MPI is not found
  if(NOT MPI_C_FOUND)
    message(STATUS "lapl: MPI not found, so lapl run takes no --ranks")
  endif()
endif()

# Optional and not packaged: without it halos between GPUs go through host memory. The library that pip installs
# (nvidia-nccl-cu13) has only its full name.
if(LAPL_HAS_CUDA AND MPI_C_FOUND)
  find_plain_library(lapl_nccl nccl.h nccl)
  if(NOT TARGET lapl_nccl)
    find_plain_library(lapl_nccl nccl.h libnccl.so.2)
  endif()
  if(NOT TARGET lapl_nccl)
    message(STATUS "lapl: NCCL not found, so halos of GPUs go through host memory")
  endif()
endif()

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(lapl_xxhash INTERFACE)
target_include_directories(lapl_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

# yaml-cpp 0.7 (Debian 12) has a target without a namespace.
if(TARGET yaml-cpp::yaml-cpp)
  set(LAPL_YAML yaml-cpp::yaml-cpp)
else()
  set(LAPL_YAML yaml-cpp)
endif()
