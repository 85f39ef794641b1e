// FirefoxTables: what all threads of a Firefox profile share, column by column. Strings, stacks,
// frames, functions, the files they came from.
//
//   strings:   the Profile's own, then a name for each library
//   stacks:    a tree; a node is its frame and how far back its caller stands (0: a root)
//   frames:    the Profile's own
#pragma once

#include <optional>
#include <vector>

#include "formats/sink.h"
#include "views/function_table.h"

namespace wick {

class FirefoxTables {
 public:
  explicit FirefoxTables(const Profile& profile);

  // Nothing for the stack without frames.
  [[nodiscard]] std::optional<u32> node_of(StackId stack) const;

  void write_libraries(Writer& out) const;
  void write_shared(Writer& out) const;

 private:
  static constexpr u32 kNone = ~u32{0};
  struct Library {
    StringId path;  // 0: the kernel
    StringId build_id;
  };
  struct Node {
    u32 frame;
    u32 prefix;  // kNone at the root
    bool operator==(const Node&) const = default;
  };

  void collect_libraries();
  void build_stacks();
  [[nodiscard]] u32 child(u32 prefix, u32 frame);
  [[nodiscard]] std::size_t first_slot(const Node& node) const;
  void grow_slots();
  [[nodiscard]] std::string_view path_of(const Library& library) const;
  [[nodiscard]] i64 address_in_library(const Frame& frame) const;
  void write_strings(Writer& out) const;
  void write_stacks(Writer& out) const;
  void write_frames(Writer& out) const;
  void write_functions(Writer& out) const;
  void write_resources(Writer& out) const;
  void write_sources(Writer& out) const;

  const Profile& profile_;
  FunctionTable functions_;
  std::vector<Library> libraries_;
  std::vector<u32> function_library_;  // by function; kNone where there is none
  std::vector<StringId> sources_;
  std::vector<u32> function_source_;
  std::vector<Node> nodes_;
  std::vector<u32> slots_;        // 1 + a node, by its hash; a power of two, half empty
  std::vector<u32> stack_nodes_;  // by StackId; kNone for the empty stack
};

}  // namespace wick
