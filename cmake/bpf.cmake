# wick_bpf_skeletons(): every bpf/*.bpf.c becomes generated/NAME.skel.h, by clang, llvm-strip and bpftool.
find_program(WICK_CLANG clang-19 REQUIRED)
find_program(WICK_LLVM_STRIP llvm-strip-19 REQUIRED)
find_program(WICK_BPFTOOL bpftool PATHS /usr/sbin /sbin REQUIRED)

function(wick_bpf_skeletons target)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bpf/*.bpf.c)
  set(skeletons)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME)
    string(REPLACE ".bpf.c" "" name ${name})
    set(object ${generated}/${name}.bpf.o)
    set(skeleton ${generated}/${name}.skel.h)
    # -g gives BTF, which CO-RE needs; the strip takes only DWARF away again.
    add_custom_command(
      OUTPUT ${skeleton}
      COMMAND ${WICK_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror
              -Wno-unused-parameter -Wno-missing-declarations -D__TARGET_ARCH_x86
              -I${CMAKE_SOURCE_DIR} -MD -MF ${object}.d -MT ${skeleton}
              -c ${source} -o ${object}
      COMMAND ${WICK_LLVM_STRIP} -g ${object}
      COMMAND ${WICK_BPFTOOL} gen skeleton ${object} name ${name}_bpf > ${skeleton}.tmp
      COMMAND ${CMAKE_COMMAND} -E rename ${skeleton}.tmp ${skeleton}
      DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMENT "BPF ${name}")
    list(APPEND skeletons ${skeleton})
  endforeach()
  add_custom_target(${target}_skeletons DEPENDS ${skeletons})
  add_dependencies(${target} ${target}_skeletons)
  target_include_directories(${target} SYSTEM PUBLIC ${generated})
endfunction()
