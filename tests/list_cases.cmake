# cmake -DPROGRAM=... -DFOLDER=... -DLIST=... -P list_cases.cmake: writes the file LIST, from which ctest reads an entry
# for each test case of PROGRAM. The labels of a case are its FOLDER, the words of its suite, as in
# TEST_CASE("..." * doctest::test_suite("slow")), its tier (quick if the suite has none), and float or double if it is a
# template's. A ; in a case's name would make CMake cut the name there.
cmake_minimum_required(VERSION 3.25)
set(tiers quick moderate slow)
set(costs 1 10 100)  # the longest first

# lines(RESULT OPTION...): the names that PROGRAM lists.
function(lines result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" text "${text}")
  list(FILTER text EXCLUDE REGEX "^(=+|\\[doctest\\].*|)$")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

lines(suites --list-test-suites)
list(JOIN suites "," every_suite)
set(script "")
foreach(suite "" ${suites})
  if(NOT suite STREQUAL "")
    lines(cases --list-test-cases "--test-suite=${suite}")
  elseif(every_suite)
    lines(cases --list-test-cases "--test-suite-exclude=${every_suite}")
  else()
    lines(cases --list-test-cases)
  endif()
  string(REPLACE " " ";" words "${suite}")
  set(tier quick)
  foreach(word IN LISTS words)
    if(word IN_LIST tiers)
      set(tier ${word})
    endif()
  endforeach()
  list(FIND tiers ${tier} at)
  list(GET costs ${at} cost)
  list(APPEND words ${tier} ${FOLDER})
  list(REMOVE_DUPLICATES words)
  foreach(case IN LISTS cases)
    set(labels ${words})
    if(case MATCHES "<(float|double)>$")
      list(APPEND labels ${CMAKE_MATCH_1})
    endif()
    string(REPLACE "," "\\," filter "${case}")
    string(APPEND script "add_test([==[${FOLDER}: ${case}]==] [==[${PROGRAM}]==] [==[--test-case=${filter}]==])\n"
      "set_tests_properties([==[${FOLDER}: ${case}]==] PROPERTIES SKIP_RETURN_CODE 77 COST ${cost}\n"
      "  ENVIRONMENT OMP_WAIT_POLICY=passive LABELS [==[${labels}]==])\n")
  endforeach()
endforeach()
file(WRITE ${LIST} "${script}")
