# What `cmake --install` puts where, and the two Debian packages that `cpack -G DEB` makes of it:
# lapl, the program and its documentation; lapl-dev, the libraries for other programs. Everything is
# found relative to where it lies, so an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

install(TARGETS lapl RUNTIME)
if(LAPL_HAS_CUDA)  # cuFFT lies where the linker does not look
  set_target_properties(lapl PROPERTIES INSTALL_RPATH "${CUDAToolkit_LIBRARY_DIR}")
endif()
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs configs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Manual pages and the scripts of shells, by the program that was just built.
set(share ${CMAKE_BINARY_DIR}/share)
add_custom_command(OUTPUT ${share}/made VERBATIM DEPENDS lapl
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/bash-completion/completions
          ${share}/zsh/site-functions ${share}/zsh/vendor-completions ${share}/fish/vendor_completions.d
  COMMAND lapl man ${share}/man/man1
  COMMAND lapl completions bash > ${share}/bash-completion/completions/lapl
  COMMAND lapl completions zsh > ${share}/zsh/site-functions/_lapl
  # Debian's zsh looks into the first below /usr/local and into the second below /usr.
  COMMAND ${CMAKE_COMMAND} -E copy ${share}/zsh/site-functions/_lapl ${share}/zsh/vendor-completions
  COMMAND lapl completions fish > ${share}/fish/vendor_completions.d/lapl.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${share}/made
  COMMENT "Writing manual pages and completions")
add_custom_target(lapl_share ALL DEPENDS ${share}/made)
# A build of the program alone can be installed too.
install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(DIRECTORY ${share}/bash-completion ${share}/zsh ${share}/fish
        DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)
install(CODE "if(NOT EXISTS \"${share}/made\")
  message(\"Without manual pages and completions, as the target lapl_share was not built\")
endif()")

# Libraries, with the headers that their users need.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(libraries lapl_kernels lapl_solver lapl_io)
if(LAPL_HAS_CUDA)
  list(APPEND libraries lapl_cuda)
endif()
foreach(library ${libraries})
  string(REPLACE lapl_ "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS ${libraries} EXPORT lapl-targets ARCHIVE)
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/lapl)
target_include_directories(lapl_kernels INTERFACE $<INSTALL_INTERFACE:${header_folder}>)
target_compile_features(lapl_kernels INTERFACE cxx_std_20)
install(DIRECTORY kernels solver io DESTINATION ${header_folder} FILES_MATCHING PATTERN "*.hpp"
        PATTERN kernels/cpu EXCLUDE PATTERN kernels/cuda EXCLUDE
        PATTERN io/config EXCLUDE PATTERN io/durable EXCLUDE PATTERN io/hdf5 EXCLUDE
        PATTERN io/plot EXCLUDE PATTERN io/npy_reader.hpp EXCLUDE)
install(FILES io/durable/posix_file.hpp DESTINATION ${header_folder}/io/durable)
install(FILES io/config/config.hpp DESTINATION ${header_folder}/io/config)
install(FILES io/hdf5/checkpoint.hpp io/hdf5/field_values.hpp io/hdf5/run_index.hpp io/hdf5/step_file.hpp
        DESTINATION ${header_folder}/io/hdf5)
install(FILES io/plot/colormap.hpp io/plot/figure.hpp io/plot/layout.hpp io/plot/limits.hpp
              io/plot/movie.hpp DESTINATION ${header_folder}/io/plot)

# find_package(lapl): lapl::kernels, lapl::solver, lapl::io.
set(plain_libraries lapl_fftw)
if(TARGET lapl_cairo)
  list(APPEND plain_libraries lapl_cairo)
  set(pc_cairo " cairo")
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lapl)
configure_package_config_file(cmake/lapl-config.cmake.in ${CMAKE_BINARY_DIR}/lapl-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lapl-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lapl-config.cmake cmake/plain_libraries.cmake
              ${CMAKE_BINARY_DIR}/lapl-config-version.cmake DESTINATION ${package_folder})
install(EXPORT lapl-targets NAMESPACE lapl:: DESTINATION ${package_folder})

# pkg-config lapl
find_package(PkgConfig QUIET)
set(pc_hdf5 hdf5)
if(PkgConfig_FOUND)  # the serial one also where a parallel HDF5 is installed besides
  pkg_search_module(LAPL_PC_HDF5 QUIET hdf5-serial hdf5)
  set(pc_hdf5 ${LAPL_PC_HDF5_MODULE_NAME})
endif()
set(pc_kernels -llapl_kernels)
if(LAPL_HAS_CUDA)  # these two need each other; in one word, for pkg-config drops what is there twice
  set(pc_kernels "-Wl,--start-group,-llapl_kernels,-llapl_cuda,--end-group")
  string(APPEND pc_kernels " -L${CUDAToolkit_LIBRARY_DIR} -lcufft -lcudart_static -ldl -lrt")
endif()
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
configure_file(cmake/lapl.pc.in ${CMAKE_BINARY_DIR}/lapl.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lapl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Debian packages
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "lapl developers <lapl@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME lapl)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ffmpeg, python3-h5py, python3-xarray")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME lapl-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
string(JOIN ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
       "lapl (= ${PROJECT_VERSION})" libhdf5-dev libyaml-cpp-dev libfmt-dev nlohmann-json3-dev
       libfftw3-dev libpng-dev libcairo2-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Libraries and headers of lapl")
include(CPack)
