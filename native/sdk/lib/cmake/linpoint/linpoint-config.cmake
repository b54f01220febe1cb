# SPDX-License-Identifier: Apache-2.0
# Tests of concurrent C++ objects with linpoint, run by ctest.
#
#   find_package(linpoint REQUIRED)            # cmake -Dlinpoint_DIR="$(linpoint --cmake-dir)" ...
#   linpoint_add_test(stack_test SOURCES stack_linpoint.cpp SPEC stack MEMORY_MODEL tso)
#   target_link_libraries(stack_test PRIVATE my_headers)
#
# linpoint::test       the target with the include directory of <linpoint/test.hpp>
# LINPOINT_COMMAND     the command, found next to this package or on the path

cmake_minimum_required(VERSION 3.19)

# In a Python environment: lib/pythonX.Y/site-packages/linpoint/native/sdk/lib/cmake/linpoint
get_filename_component(_linpoint_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
get_filename_component(_linpoint_environment "${_linpoint_sdk}/../../../../../.." ABSOLUTE)
find_program(LINPOINT_COMMAND linpoint HINTS "${_linpoint_environment}/bin" DOC "The command linpoint")
if(NOT LINPOINT_COMMAND)
  set(linpoint_FOUND FALSE)
  set(linpoint_NOT_FOUND_MESSAGE "The command linpoint is not found: pip install linpoint, or set LINPOINT_COMMAND.")
  return()
endif()

if(NOT TARGET linpoint::test)
  add_library(linpoint::test INTERFACE IMPORTED)
  set_target_properties(linpoint::test PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_linpoint_sdk}/include")
  target_compile_features(linpoint::test INTERFACE cxx_std_20)
endif()

# linpoint_add_test(NAME SOURCES test.cpp [more.cpp ...] [SPEC spec] [MEMORY_MODEL sc|tso|pso] [BUDGET 30s]
#                   [OPTIONS option ...])
#
# Adds a ctest test that runs `linpoint test` on the first source; the others are compiled together with it. NAME is
# also a target: the compiler gets the include directories, definitions and options of it and of what it is linked with.
# It is not built by default, since linpoint compiles the sources in its own way. Libraries are opaque to linpoint
# unless their sources are among SOURCES.
function(linpoint_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SPEC;MEMORY_MODEL;BUDGET" "SOURCES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "linpoint_add_test(${name}): unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "linpoint_add_test(${name}): SOURCES has no file")
  endif()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE linpoint::test)

  set(words)
  foreach(option SPEC MEMORY_MODEL BUDGET)
    if(DEFINED arg_${option})
      string(REPLACE "_" "-" flag "--${option}")
      string(TOLOWER "${flag}" flag)
      list(APPEND words ${flag} "${arg_${option}}")
    endif()
  endforeach()
  if(CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
    list(APPEND words --compiler "${CMAKE_CXX_COMPILER}")
  endif()
  list(APPEND words ${arg_OPTIONS})
  list(POP_FRONT arg_SOURCES first)
  set(more ${arg_SOURCES})
  if(CMAKE_CXX_STANDARD MATCHES "^2[3-9]$")
    list(PREPEND more "-std=c++${CMAKE_CXX_STANDARD}")
  endif()

  # Flags that depend on the language are only known when a file is generated for each language.
  set(flags)
  foreach(pair "-I,INCLUDE_DIRECTORIES" "-D,COMPILE_DEFINITIONS" ",COMPILE_OPTIONS" ",LINK_OPTIONS")
    string(REGEX REPLACE "^(.*),(.*)$" "\\1;\\2" pair "${pair}")
    list(GET pair 0 flag)
    list(GET pair 1 property)
    set(value "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${name},${property}>>")
    string(APPEND flags " $<$<BOOL:${value}>:'${flag}$<JOIN:${value},' '${flag}>'>")
  endforeach()
  _linpoint_quoted(command "${LINPOINT_COMMAND}" test "${first}" ${words} --)
  _linpoint_quoted(more ${more})
  set(script "${CMAKE_CURRENT_BINARY_DIR}/linpoint/${name}-$<CONFIG>")
  file(GENERATE OUTPUT "${script}-$<COMPILE_LANGUAGE>.sh" CONTENT "exec${command}${flags}${more}\n" TARGET ${name})
  add_test(NAME ${name} COMMAND sh "${script}-CXX.sh" WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS linpoint)
endfunction()

# Quotes words for a shell, in a variable.
function(_linpoint_quoted variable)
  set(text)
  foreach(word IN LISTS ARGN)
    string(REPLACE "'" "'\\''" word "${word}")
    string(APPEND text " '${word}'")
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
