#include "formats/firefox/firefox_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "formats/firefox/firefox_names.h"
#include "formats/json_text.h"

namespace wick {
namespace {

constexpr int kResourceLibrary = 1;

// "name":[v0,v1,…], where at(i) gives something a Writer takes.
template <class At>
void write_column(Writer& out, std::string_view name, std::size_t length, At at) {
  out << ",\n\"" << name << "\":[";
  for (std::size_t i = 0; i < length; i++) {
    if (i != 0) out << ',';
    out << at(i);
  }
  out << ']';
}

void open_table(Writer& out, std::string_view name, std::size_t length) {
  out << ",\n\"" << name << R"(":{"length":)" << length;
}

std::string number_or_null(u32 value, u32 none) {
  return value == none ? "null" : std::to_string(value);
}

constexpr auto kNull = [](std::size_t) { return std::string_view{"null"}; };
constexpr auto kFalse = [](std::size_t) { return std::string_view{"false"}; };
constexpr auto kZero = [](std::size_t) { return 0; };
constexpr auto kOne = [](std::size_t) { return 1; };

}  // namespace

FirefoxTables::FirefoxTables(const Profile& profile) : profile_(profile), functions_(profile) {
  collect_libraries();
  build_stacks();
}

std::optional<u32> FirefoxTables::node_of(StackId stack) const {
  const u32 node = stack_nodes_[stack.index()];
  return node == kNone ? std::nullopt : std::optional{node};
}

void FirefoxTables::collect_libraries() {
  std::unordered_map<StringId, StringId> build_ids;
  for (const Mapping& mapping : profile_.mappings())
    build_ids.try_emplace(mapping.path, mapping.build_id);
  std::unordered_map<StringId, u32> libraries;
  std::unordered_map<StringId, u32> sources;
  for (const Function& function : functions_.functions()) {
    if (function.path.index() == 0 && function.kind != FrameKind::kernel) {
      function_library_.push_back(kNone);
    } else {
      const auto [entry, is_new] =
          libraries.try_emplace(function.path, static_cast<u32>(libraries_.size()));
      if (is_new)
        libraries_.push_back({.path = function.path, .build_id = build_ids[function.path]});
      function_library_.push_back(entry->second);
    }
    if (function.file.index() == 0) {
      function_source_.push_back(kNone);
    } else {
      const auto [entry, is_new] =
          sources.try_emplace(function.file, static_cast<u32>(sources_.size()));
      if (is_new) sources_.push_back(function.file);
      function_source_.push_back(entry->second);
    }
  }
}

void FirefoxTables::build_stacks() {
  stack_nodes_.reserve(profile_.stack_count());
  for (std::size_t i = 0; i < profile_.stack_count(); i++) {
    const auto leaf_first = profile_.stack(StackId{i});
    u32 node = kNone;
    for (std::size_t at = leaf_first.size(); at-- > 0;) node = child(node, leaf_first[at].value());
    stack_nodes_.push_back(node);
  }
  slots_ = {};
}

std::size_t FirefoxTables::first_slot(const Node& node) const {
  const u64 hash = (u64{node.prefix} << 32 | node.frame) * 0x9E3779B97F4A7C15;
  return (hash ^ (hash >> 32)) & (slots_.size() - 1);
}

void FirefoxTables::grow_slots() {
  slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), 0);
  for (std::size_t i = 0; i < nodes_.size(); i++) {
    std::size_t at = first_slot(nodes_[i]);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<u32>(i + 1);
  }
}

u32 FirefoxTables::child(u32 prefix, u32 frame) {
  if ((nodes_.size() + 1) * 2 > slots_.size()) grow_slots();
  const Node wanted{.frame = frame, .prefix = prefix};
  std::size_t at = first_slot(wanted);
  for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
    if (nodes_[slots_[at] - 1] == wanted) return slots_[at] - 1;
  nodes_.push_back(wanted);
  slots_[at] = static_cast<u32>(nodes_.size());
  return slots_[at] - 1;
}

std::string_view FirefoxTables::path_of(const Library& library) const {
  return library.path.index() == 0 ? "[kernel.kallsyms]" : profile_.text(library.path);
}

// The format counts addresses from the file's start, in 32 bits; -1 where there is none.
i64 FirefoxTables::address_in_library(const Frame& frame) const {
  const Mapping& mapping = profile_.mapping(frame.mapping);
  if (frame.address == 0 || mapping.limit <= mapping.start) return -1;
  if (frame.address < mapping.start || frame.address >= mapping.limit) return -1;
  const u64 offset = frame.address - mapping.start + mapping.file_offset;
  return offset > std::numeric_limits<u32>::max() ? -1 : static_cast<i64>(offset);
}

void FirefoxTables::write_libraries(Writer& out) const {
  std::string_view comma;
  for (const Library& library : libraries_) {
    const std::string path = json_quoted(path_of(library));
    const std::string name = json_quoted(base_name(path_of(library)));
    const std::string_view build_id = profile_.text(library.build_id);
    out << comma << "\n"
        << R"({"arch":"","name":)" << name << R"(,"path":)" << path << R"(,"debugName":)" << name
        << R"(,"debugPath":)" << path << R"(,"breakpadId":)" << json_quoted(breakpad_id(build_id))
        << R"(,"codeId":)" << (build_id.empty() ? "null" : json_quoted(build_id)) << '}';
    comma = ",";
  }
}

void FirefoxTables::write_shared(Writer& out) const {
  out << "{\n";
  write_strings(out);
  write_sources(out);
  write_resources(out);
  write_functions(out);
  write_frames(out);
  write_stacks(out);
  open_table(out, "nativeSymbols", 0);
  out << R"(,"libIndex":[],"address":[],"name":[],"functionSize":[]})";
  open_table(out, "sourceLocationTable", 0);
  out << R"(,"source":[],"line":[],"column":[]}})";
}

void FirefoxTables::write_strings(Writer& out) const {
  out << R"("stringArray":[)";
  for (std::size_t i = 0; i < profile_.strings.size(); i++)
    out << (i == 0 ? "" : ",") << json_quoted(profile_.text(StringId{i}));
  for (const Library& library : libraries_) out << ',' << json_quoted(base_name(path_of(library)));
  out << ']';
}

void FirefoxTables::write_sources(Writer& out) const {
  const std::size_t length = sources_.size();
  open_table(out, "sources", length);
  write_column(out, "filename", length, [&](std::size_t i) { return sources_[i].value(); });
  write_column(out, "id", length, kNull);
  write_column(out, "startLine", length, kOne);
  write_column(out, "startColumn", length, kOne);
  write_column(out, "sourceMapURL", length, kNull);
  write_column(out, "content", length, kNull);
  out << '}';
}

void FirefoxTables::write_resources(Writer& out) const {
  const std::size_t length = libraries_.size();
  open_table(out, "resourceTable", length);
  write_column(out, "lib", length, [](std::size_t i) { return i; });
  write_column(out, "name", length, [&](std::size_t i) { return profile_.strings.size() + i; });
  write_column(out, "host", length, kNull);
  write_column(out, "type", length, [](std::size_t) { return kResourceLibrary; });
  out << '}';
}

void FirefoxTables::write_functions(Writer& out) const {
  const auto functions = functions_.functions();
  const std::size_t length = functions.size();
  open_table(out, "funcTable", length);
  write_column(out, "name", length, [&](std::size_t i) { return functions[i].name.value(); });
  write_column(out, "isJS", length, kFalse);
  write_column(out, "relevantForJS", length, kFalse);
  write_column(out, "resource", length, [&](std::size_t i) {
    return function_library_[i] == kNone ? -1 : static_cast<i64>(function_library_[i]);
  });
  write_column(out, "source", length,
               [&](std::size_t i) { return number_or_null(function_source_[i], kNone); });
  write_column(out, "lineNumber", length, kNull);
  write_column(out, "columnNumber", length, kNull);
  write_column(out, "originalLocation", length, kNull);
  out << '}';
}

void FirefoxTables::write_frames(Writer& out) const {
  const auto frames = profile_.frames();
  const std::size_t length = frames.size();
  open_table(out, "frameTable", length);
  write_column(out, "func", length, [&](std::size_t i) { return functions_.index_of(FrameId{i}); });
  write_column(out, "category", length,
               [&](std::size_t i) { return firefox_category(frames[i].kind); });
  write_column(out, "subcategory", length, kZero);
  write_column(out, "line", length,
               [&](std::size_t i) { return number_or_null(frames[i].line, 0); });
  write_column(out, "column", length, kNull);
  write_column(out, "address", length,
               [&](std::size_t i) { return address_in_library(frames[i]); });
  write_column(out, "inlineDepth", length,
               [&](std::size_t i) { return frames[i].kind == FrameKind::inlined ? 1 : 0; });
  write_column(out, "nativeSymbol", length, kNull);
  write_column(out, "innerWindowID", length, kZero);
  write_column(out, "originalLocation", length, kNull);
  out << '}';
}

void FirefoxTables::write_stacks(Writer& out) const {
  const std::size_t length = nodes_.size();
  open_table(out, "stackTable", length);
  write_column(out, "frame", length, [&](std::size_t i) { return nodes_[i].frame; });
  write_column(out, "prefixOffset", length,
               [&](std::size_t i) { return nodes_[i].prefix == kNone ? 0 : i - nodes_[i].prefix; });
  out << '}';
}

}  // namespace wick
