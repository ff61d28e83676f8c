# HDF5 as the target lapl_hdf5. The shared library loads forty others at every start, to read files on S3. The static
# library needs none of them if the linker can drop that part, which is possible before HDF5 1.14. Its code cannot be part
# of a shared library, such as lapl.Simulation (LAPL_SHARED).
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 REQUIRED COMPONENTS C HL)

function(try_hdf5_archives)
  set(shared ${HDF5_LIBRARIES})
  list(FILTER shared INCLUDE REGEX "/libhdf5[^/]*$")
  if(LAPL_SANITIZED OR NOT shared)  # sanitizers' lists of known leaks name the shared library
    return()
  endif()
  list(GET shared 0 folder)
  cmake_path(GET folder PARENT_PATH folder)
  set(libraries ${folder}/libhdf5_hl.a ${folder}/libhdf5.a)
  foreach(name sz aec)  # not every HDF5 is built with these compressors
    find_library(LAPL_${name} NAMES lib${name}.a)
    mark_as_advanced(LAPL_${name})
    if(LAPL_${name})
      list(APPEND libraries ${LAPL_${name}})
    endif()
  endforeach()
  list(APPEND libraries ZLIB::ZLIB ${CMAKE_DL_LIBS} m)

  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_DEFINITIONS ${HDF5_DEFINITIONS})
  set(CMAKE_REQUIRED_LIBRARIES ${libraries})
  check_c_source_compiles("#include <hdf5.h>
#include <hdf5_hl.h>
int main(void) { return H5open() + H5DSset_scale(H5Fcreate(\"\", 0, 0, 0), \"\"); }" LAPL_HDF5_ARCHIVES)
  if(LAPL_HDF5_ARCHIVES)
    target_include_directories(lapl_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
    target_compile_definitions(lapl_hdf5 INTERFACE ${HDF5_DEFINITIONS})
    target_link_libraries(lapl_hdf5 INTERFACE "$<IF:${LAPL_SHARED},HDF5::HDF5;hdf5::hdf5_hl,${libraries}>")
  endif()
endfunction()

add_library(lapl_hdf5 INTERFACE)
try_hdf5_archives()
if(NOT LAPL_HDF5_ARCHIVES)
  if(NOT LAPL_SANITIZED)
    message(STATUS "lapl: HDF5 has no archive that links by itself, so each start takes some 10 ms longer")
  endif()
  target_link_libraries(lapl_hdf5 INTERFACE HDF5::HDF5 hdf5::hdf5_hl)
endif()
