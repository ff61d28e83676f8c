# Sets labels while ctest reads its list: slow for test cases of many seconds or run by two programs, moderate for
# others of more than a second, quick for the rest. Sanitizers in CI run quick and moderate.
set(slow "at random times|examples do|any shape|in a loop|every engine|eight times|bench|many outputs|sweep|watch: a run|blocked, compiled|compiled stages|30 problems")
set(moderate "every CPU engine|blocked engine equals|engine spectral|axis: the reference"
             "tiles of every|two stages|the digest sees|each field is made|auto is a number|ranks that do not meet"
             "writer of many|HDF5 crash|in a rehearsal|in every spelling|have the same bits|does not suffice|come out as"
             "beside the run|five decades|one letter|PyYAML|no prefix|names may be|largest stable step stays|is stable")
list(JOIN moderate "|" moderate)
foreach(program kernels solver io app cuda)
  foreach(test IN LISTS lapl_test_${program}_TESTS)
    set(label quick)
    if(test MATCHES "${slow}")
      set(label slow)
    elseif(test MATCHES "${moderate}")
      set(label moderate)
    endif()
    set_tests_properties("${test}" PROPERTIES LABELS ${label})
    if(test MATCHES "examples do|any shape|random equations")  # longest first
      set_tests_properties("${test}" PROPERTIES COST 100)
    endif()
  endforeach()
endforeach()
foreach(test IN LISTS lapl_test_app_without_cuda_TESTS)
  set_tests_properties("${test}" PROPERTIES LABELS slow)
endforeach()
