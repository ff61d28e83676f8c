# add_module(NAME SOURCE...): libNAME.so, which kernels/machine/module.cpp loads where it is first needed.
file(RELATIVE_PATH LAPL_MODULES ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/lapl)
function(add_module name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/${LAPL_MODULES})
  target_link_libraries(${name} PRIVATE lapl_options fmt::fmt)
  set_property(GLOBAL APPEND PROPERTY LAPL_MODULES ${name})
endfunction()
