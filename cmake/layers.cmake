# wick_layer(NAME USES lower... LIBRARIES system... FOLDER only): src/NAME/*.cpp, and those of its folders, or of one of
# them, as the static library wick_NAME.
#
# Where WICK_UNITY is on, eight files are compiled as one: most of a file's time is its headers. So names in
# anonymous namespaces differ within a layer, and within a layer's tests; those of tools need not.
function(wick_layer name)
  cmake_parse_arguments(LAYER "" "FOLDER" "USES;LIBRARIES" ${ARGN})
  if(NOT LAYER_FOLDER)
    set(LAYER_FOLDER "*")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp
       ${CMAKE_SOURCE_DIR}/src/${name}/${LAYER_FOLDER}/*.cpp)
  if(NOT sources)
    set(sources ${CMAKE_BINARY_DIR}/empty_${name}.cpp)
    file(WRITE ${sources} "")
  endif()
  add_library(wick_${name} STATIC ${sources})
  set_target_properties(wick_${name} PROPERTIES UNITY_BUILD ${WICK_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  target_include_directories(wick_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  foreach(lower ${LAYER_USES})
    target_link_libraries(wick_${name} PUBLIC wick_${lower})
  endforeach()
  target_link_libraries(wick_${name} PUBLIC ${LAYER_LIBRARIES})
  # Read what nearly every file reads once. The dev preset does without, so a missing #include does not
  # stay hidden.
  set(first base)
  # Fuzzers need what they run to be quick; of the rooms above, the sanitizers' build is what takes long.
  if(WICK_SANITIZE AND name MATCHES "^(tool|tools|cli)$")
    set(first tool)
    target_compile_options(wick_${name} PRIVATE -O0)
  endif()
  if(name STREQUAL first)
    target_precompile_headers(wick_${name} PRIVATE <fmt/format.h> <functional> <optional> <span>
                              <string> <unordered_map> <vector>)
  else()
    target_precompile_headers(wick_${name} REUSE_FROM wick_${first})
  endif()
endfunction()

# wick_tools(NAME USES ...): a layer whose every file declares one command, `const Command NAME_command`.
# The table of commands is generated from the folder: static initialisers vanish from a static library.
function(wick_tools name)
  wick_layer(${name} ${ARGN})
  set_target_properties(wick_${name} PROPERTIES UNITY_BUILD OFF)
  wick_bpf_skeletons(wick_${name})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  set(declarations "")
  set(entries "")
  foreach(source ${sources})
    get_filename_component(tool ${source} NAME_WE)
    string(APPEND declarations "extern const Command ${tool}_command;\n")
    string(APPEND entries "    &${tool}_command,\n")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/registry.cpp.in ${CMAKE_BINARY_DIR}/generated/registry.cpp @ONLY)
  target_sources(wick_${name} PRIVATE ${CMAKE_BINARY_DIR}/generated/registry.cpp)
endfunction()
