execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#pragma once
#define LAPL_VERSION "@VERSION@"
#define LAPL_COMMIT "@commit@"
#define LAPL_COMPILER "@COMPILER@, @BUILD_TYPE@, -ffp-contract=off; nvcc @CUDA@"
]])
