# wick_viewer(TARGET): builds web/ with esbuild and embeds the result in TARGET: the report's viewer
# (src/formats/html/html_assets.h) and the flame graph's script (src/formats/svg/svg_assets.h).
# npm ci runs only when web/package-lock.json is newer than what it installed last.
find_program(WICK_NODE node REQUIRED)
find_program(WICK_FLOCK flock REQUIRED)

function(wick_viewer target)
  set(web ${CMAKE_SOURCE_DIR}/web)
  set(out ${CMAKE_BINARY_DIR}/generated/viewer)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.tsx ${web}/src/*.css)
  # The lock: several build folders share one web/node_modules.
  add_custom_command(
    OUTPUT ${out}/viewer.js ${out}/viewer.css ${out}/flame.js
    COMMAND ${WICK_FLOCK} ${web} ${WICK_NODE} ${web}/build.mjs ${out}
    DEPENDS ${sources} ${web}/build.mjs ${web}/package-lock.json ${web}/tsconfig.json
    WORKING_DIRECTORY ${web} VERBATIM COMMENT "Viewer")
  set(source ${CMAKE_BINARY_DIR}/generated/web_assets.cpp)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/web_assets.cpp.in ${source} @ONLY)
  set_source_files_properties(${source} PROPERTIES
    OBJECT_DEPENDS "${out}/viewer.js;${out}/viewer.css;${out}/flame.js" SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${source})
endfunction()
