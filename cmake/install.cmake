# Rules for `cmake --install` and for the Debian package of `cpack -G DEB`: the program, its manual pages, completions
# and documentation. An installed tree may be moved.

# Creates folders that everyone may read; CMake and CPack would use the mode of the umask.
install(CODE [[
  function(lapl_make_folder folder)
    if(NOT EXISTS "${folder}" OR "${folder}" MATCHES /_CPack_Packages/)
      cmake_path(GET folder PARENT_PATH parent)
      lapl_make_folder("${parent}")
      file(MAKE_DIRECTORY "${folder}")
      file(CHMOD "${folder}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
           GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
  endfunction()
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE prefix)]])
foreach(folder ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR}/lapl ${CMAKE_INSTALL_DOCDIR} ${CMAKE_INSTALL_MANDIR})
  install(CODE "lapl_make_folder(\"\$ENV{DESTDIR}\${prefix}/${folder}\")")
endforeach()

install(TARGETS lapl RUNTIME)
get_property(modules GLOBAL PROPERTY LAPL_MODULE_TARGETS)
if(modules)
  install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lapl)
endif()
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)  # the place that Debian requires
install(DIRECTORY docs configs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN configs/new EXCLUDE  # lapl new prints them
        PATTERN docs/conf.py EXCLUDE PATTERN docs/site.css EXCLUDE)  # for scripts/site

# Manual pages and completions are written by the program that was just built.
set(share ${CMAKE_BINARY_DIR}/share)
find_program(LAPL_HELP2MAN help2man)
if(LAPL_HELP2MAN)
  set(make_man_pages COMMAND ${CMAKE_SOURCE_DIR}/cmake/make_man_pages $<TARGET_FILE:lapl> ${share}/man/man1)
else()
  message(STATUS "lapl: building without manual pages (no help2man, package help2man)")
endif()
add_custom_command(OUTPUT ${share}/made VERBATIM
  DEPENDS lapl ${CMAKE_SOURCE_DIR}/cmake/make_man_pages
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/bash-completion/completions
          ${share}/zsh/site-functions ${share}/zsh/vendor-completions ${share}/fish/vendor_completions.d
  ${make_man_pages}
  COMMAND lapl completions bash > ${share}/bash-completion/completions/lapl
  COMMAND lapl completions zsh > ${share}/zsh/site-functions/_lapl
  # Debian's zsh searches the first folder below /usr/local, the second below /usr.
  COMMAND ${CMAKE_COMMAND} -E copy ${share}/zsh/site-functions/_lapl ${share}/zsh/vendor-completions
  COMMAND lapl completions fish > ${share}/fish/vendor_completions.d/lapl.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${share}/made
  COMMENT "Writing manual pages and completions")
add_custom_target(lapl_share ALL DEPENDS ${share}/made)
# OPTIONAL, so that a build of the program alone can be installed too.
install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(DIRECTORY ${share}/bash-completion ${share}/zsh ${share}/fish
        DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)
install(CODE "if(NOT EXISTS \"${share}/made\")
  message(\"Without manual pages and completions, as the target lapl_share was not built\")
endif()")

set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_tools.cmake)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "lapl developers <lapl@localhost>")
set(CPACK_PACKAGE_DESCRIPTION
    "Any equation that is written as formulas, on one to three axes, with checkpoints, pictures and movies.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# g++ compiles formulas, ffmpeg makes movies, and the examples in the documentation use the others.
set(suggested g++ ffmpeg hdf5-tools netcdf-bin python3-h5netcdf python3-h5py python3-xarray)
if(MPI_C_LIBRARIES MATCHES mpich)  # the mpirun of the MPI library that the program is linked with
  list(APPEND suggested mpich)
elseif(MPI_C_FOUND)
  list(APPEND suggested openmpi-bin)
endif()
list(JOIN suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
include(CPack)
