#include "formats/firefox/firefox_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "formats/firefox/firefox_names.h"

namespace wick {
namespace {

constexpr int kResourceLibrary = 1;

// "name":[v0,v1,…]
template <class At>
void write_column(JsonStream& json, std::string_view name, std::size_t length, At at) {
  json.new_line().key(name).begin_array();
  for (std::size_t i = 0; i < length; i++) json.value(at(i));
  json.end_array();
}

void open_table(JsonStream& json, std::string_view name, std::size_t length) {
  json.new_line().key(name).begin_object().field("length", length);
}

// A table without rows, and its columns.
void write_empty_table(JsonStream& json, std::string_view name,
                       std::initializer_list<std::string_view> columns) {
  open_table(json, name, 0);
  for (const std::string_view column : columns) json.key(column).begin_array().end_array();
  json.end_object();
}

std::optional<u32> unless(u32 value, u32 none) {
  return value == none ? std::nullopt : std::optional{value};
}

constexpr auto kNull = [](std::size_t) { return nullptr; };
constexpr auto kFalse = [](std::size_t) { return false; };
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

void FirefoxTables::write_libraries(JsonStream& json) const {
  for (const Library& library : libraries_) {
    const std::string_view path = path_of(library);
    const std::string_view build_id = profile_.text(library.build_id);
    json.new_line()
        .begin_object()
        .field("arch", "")
        .field("name", base_name(path))
        .field("path", path)
        .field("debugName", base_name(path))
        .field("debugPath", path)
        .field("breakpadId", breakpad_id(build_id));
    json.key("codeId");
    if (build_id.empty())
      json.value(nullptr);
    else
      json.value(build_id);
    json.end_object();
  }
}

void FirefoxTables::write_shared(JsonStream& json) const {
  json.begin_object();
  write_strings(json);
  write_sources(json);
  write_resources(json);
  write_functions(json);
  write_frames(json);
  write_stacks(json);
  write_empty_table(json, "nativeSymbols", {"libIndex", "address", "name", "functionSize"});
  write_empty_table(json, "sourceLocationTable", {"source", "line", "column"});
  json.end_object();
}

void FirefoxTables::write_strings(JsonStream& json) const {
  json.new_line().key("stringArray").begin_array();
  for (std::size_t i = 0; i < profile_.strings.size(); i++) json.value(profile_.text(StringId{i}));
  for (const Library& library : libraries_) json.value(base_name(path_of(library)));
  json.end_array();
}

void FirefoxTables::write_sources(JsonStream& json) const {
  const std::size_t length = sources_.size();
  open_table(json, "sources", length);
  write_column(json, "filename", length, [&](std::size_t i) { return sources_[i].value(); });
  write_column(json, "id", length, kNull);
  write_column(json, "startLine", length, kOne);
  write_column(json, "startColumn", length, kOne);
  write_column(json, "sourceMapURL", length, kNull);
  write_column(json, "content", length, kNull);
  json.end_object();
}

void FirefoxTables::write_resources(JsonStream& json) const {
  const std::size_t length = libraries_.size();
  open_table(json, "resourceTable", length);
  write_column(json, "lib", length, [](std::size_t i) { return i; });
  write_column(json, "name", length, [&](std::size_t i) { return profile_.strings.size() + i; });
  write_column(json, "host", length, kNull);
  write_column(json, "type", length, [](std::size_t) { return kResourceLibrary; });
  json.end_object();
}

void FirefoxTables::write_functions(JsonStream& json) const {
  const auto functions = functions_.functions();
  const std::size_t length = functions.size();
  open_table(json, "funcTable", length);
  write_column(json, "name", length, [&](std::size_t i) { return functions[i].name.value(); });
  write_column(json, "isJS", length, kFalse);
  write_column(json, "relevantForJS", length, kFalse);
  write_column(json, "resource", length, [&](std::size_t i) {
    return function_library_[i] == kNone ? -1 : static_cast<i64>(function_library_[i]);
  });
  write_column(json, "source", length,
               [&](std::size_t i) { return unless(function_source_[i], kNone); });
  write_column(json, "lineNumber", length, kNull);
  write_column(json, "columnNumber", length, kNull);
  write_column(json, "originalLocation", length, kNull);
  json.end_object();
}

void FirefoxTables::write_frames(JsonStream& json) const {
  const auto frames = profile_.frames();
  const std::size_t length = frames.size();
  open_table(json, "frameTable", length);
  write_column(json, "func", length,
               [&](std::size_t i) { return functions_.index_of(FrameId{i}); });
  write_column(json, "category", length,
               [&](std::size_t i) { return firefox_category(frames[i].kind); });
  write_column(json, "subcategory", length, kZero);
  write_column(json, "line", length, [&](std::size_t i) { return unless(frames[i].line, 0); });
  write_column(json, "column", length, kNull);
  write_column(json, "address", length,
               [&](std::size_t i) { return address_in_library(frames[i]); });
  write_column(json, "inlineDepth", length,
               [&](std::size_t i) { return frames[i].kind == FrameKind::inlined ? 1 : 0; });
  write_column(json, "nativeSymbol", length, kNull);
  write_column(json, "innerWindowID", length, kZero);
  write_column(json, "originalLocation", length, kNull);
  json.end_object();
}

void FirefoxTables::write_stacks(JsonStream& json) const {
  const std::size_t length = nodes_.size();
  open_table(json, "stackTable", length);
  write_column(json, "frame", length, [&](std::size_t i) { return nodes_[i].frame; });
  write_column(json, "prefixOffset", length,
               [&](std::size_t i) { return nodes_[i].prefix == kNone ? 0 : i - nodes_[i].prefix; });
  json.end_object();
}

}  // namespace wick
