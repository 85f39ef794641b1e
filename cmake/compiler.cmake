set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)

# fmt has no static library in Debian: src/base/fmt.cpp compiles it from its headers, once.
set_source_files_properties(src/base/fmt.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
add_compile_definitions(_FILE_OFFSET_BITS=64 WICK_VERSION="${PROJECT_VERSION}")
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
                    -fno-omit-frame-pointer)
add_compile_options($<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
add_link_options($<$<CONFIG:Release>:-Wl,--gc-sections>)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

if(WICK_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)  # it takes each file for a header
endif()

if(WICK_SANITIZE)
  # -g1: enough for a finding's stack, and built in half the time.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -O1 -g1)
  add_link_options(-fsanitize=address,undefined)
endif()
if(WICK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

