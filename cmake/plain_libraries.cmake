# Libraries that come without CMake package files. Used by the build, and installed: the static
# libraries of lapl need the same ones where they are linked.

# find_plain_library(TARGET HEADER LIBRARY...): an imported target, where all of it is found.
function(find_plain_library target header)
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

find_plain_library(lapl_fftw fftw3.h fftw3 fftw3f)
find_plain_library(lapl_cairo cairo.h cairo)
