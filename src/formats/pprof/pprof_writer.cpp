// pprof's profile.proto, by protozero. Top-level fields may come in any order, so each location and
// function goes out when a sample first needs it, and the strings last: memory holds only the ids.
#include <fmt/format.h>

#include <protozero/pbf_builder.hpp>
#include <unordered_map>

#include "base/text.h"
#include "formats/gzip_sink.h"
#include "formats/pprof/pprof_mappings.h"
#include "formats/pprof/pprof_marks.h"
#include "formats/pprof/pprof_proto.h"
#include "formats/writers.h"
#include "views/ids_hash.h"

namespace wick {
namespace {

using namespace pprof;  // NOLINT(google-build-using-namespace): the field names, in this file alone
template <class Field>
using Builder = protozero::pbf_builder<Field>;

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

class StringTable {
 public:
  StringTable() { id_of(std::string_view{}); }

  i64 id_of(std::string_view text) {
    const auto [entry, is_new] = ids_.try_emplace(printable(text), in_order_.size());
    if (is_new) in_order_.push_back(entry->first);
    return static_cast<i64>(entry->second);
  }
  [[nodiscard]] const std::vector<std::string_view>& in_order() const { return in_order_; }

 private:
  std::unordered_map<std::string, std::size_t> ids_;  // its keys never move
  std::vector<std::string_view> in_order_;
};

class PprofWriter {
 public:
  PprofWriter(const Profile& profile, Sink& sink)
      : profile_(profile),
        sink_(sink),
        mappings_(profile),
        known_strings_(profile.strings.size(), -1),
        frame_locations_(profile.frames().size()) {
    for (const Sample& sample : profile.samples()) has_pids_ |= sample.pid != 0;
  }

  Status run() {
    write_head();
    write_comments();
    std::size_t number = 1;
    for (const PprofMapping& mapping : mappings_.in_order()) write_mapping(number++, mapping);
    for (std::size_t i = 0; i < profile_.samples().size(); i++) {
      write_sample(i);
      if (chunk_.size() >= kChunkBytes) TRY(flush());
    }
    for (const std::string_view text : strings_.in_order()) {
      top_.add_string(ProfileField::string_table, text.data(), text.size());
      if (chunk_.size() >= kChunkBytes) TRY(flush());
    }
    return flush();
  }

 private:
  Status flush() {
    Status status = sink_.write(chunk_);
    chunk_.clear();
    return status;
  }

  i64 string(StringId id) {
    i64& known = known_strings_[id.index()];
    if (known < 0) known = strings_.id_of(profile_.text(id));
    return known;
  }

  void write_value_type(ProfileField field, const ValueType& type) {
    Builder<ValueTypeField> message{top_, field};
    message.add_int64(ValueTypeField::type, strings_.id_of(type.type));
    message.add_int64(ValueTypeField::unit, strings_.id_of(type.unit));
  }

  // A differential profile is known by its types' names. pprof shows the last type unless told: of
  // samples and CPU time the time, which is what its users look for.
  void write_sample_types() {
    std::vector<ValueType> types{profile_.value_types().begin(), profile_.value_types().end()};
    if (profile_.info.differential && types.size() >= 2) {
      types[0].type = "before";
      types[1].type = "after";
    }
    for (const ValueType& type : types) write_value_type(ProfileField::sample_type, type);
    const std::size_t shown = profile_.info.default_value;
    if (shown != 0 && shown + 1 < types.size())
      top_.add_int64(ProfileField::default_sample_type, strings_.id_of(types[shown].type));
  }

  void write_head() {
    const ProfileInfo& info = profile_.info;
    write_sample_types();
    top_.add_int64(ProfileField::time_nanos, static_cast<i64>(info.start_unix_ns));
    top_.add_int64(ProfileField::duration_nanos, static_cast<i64>(info.duration_ns));
    if (info.period_type.type.empty()) return;
    write_value_type(ProfileField::period_type, info.period_type);
    top_.add_int64(ProfileField::period, info.period);
  }

  void write_comment(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    top_.add_int64(ProfileField::comment, strings_.id_of(fmt::format("{}: {}", name, text)));
  }

  void write_comments() {
    const ProfileInfo& info = profile_.info;
    write_comment("command", info.command);
    write_comment("host", info.host);
    write_comment("kernel", info.kernel);
    if (info.cpus != 0) write_comment("cpus", std::to_string(info.cpus));
    for (const Loss& loss : info.losses)
      if (loss.count != 0)
        write_comment("lost or not whole",
                      fmt::format("{} {}", with_commas(loss.count), loss.cause));
  }

  void write_mapping(u64 id, const PprofMapping& mapping) {
    const Mapping& source = profile_.mapping(mapping.source);
    Builder<MappingField> message{top_, ProfileField::mapping};
    message.add_uint64(MappingField::id, id);
    message.add_uint64(MappingField::memory_start, mapping.start);
    message.add_uint64(MappingField::memory_limit, mapping.limit);
    message.add_uint64(MappingField::file_offset, source.file_offset);
    message.add_int64(MappingField::filename, mapping.source.index() == 0
                                                  ? strings_.id_of("[kernel.kallsyms]")
                                                  : string(source.path));
    message.add_int64(MappingField::build_id, string(source.build_id));
    message.add_bool(MappingField::has_functions, mapping.has_functions);
    message.add_bool(MappingField::has_filenames, mapping.has_filenames);
    message.add_bool(MappingField::has_line_numbers, mapping.has_line_numbers);
    message.add_bool(MappingField::has_inline_frames, mapping.has_inline_frames);
  }

  u64 function_of(const Frame& frame) {
    const auto marks = static_cast<u32>(frame.kind) << 1 | u32{frame.named};
    function_key_ = {frame.name.value(), frame.file.value(), marks};
    const auto [entry, is_new] = functions_.try_emplace(function_key_, functions_.size() + 1);
    if (!is_new) return entry->second;
    Builder<FunctionField> message{top_, ProfileField::function};
    message.add_uint64(FunctionField::id, entry->second);
    message.add_int64(FunctionField::name, string(frame.name));
    message.add_int64(
        FunctionField::system_name,
        strings_.id_of(pprof_system_name(profile_.text(frame.name), frame.kind, frame.named)));
    message.add_int64(FunctionField::filename, string(frame.file));
    return entry->second;
  }

  // How many frames from `at` are one place in the code: calls inlined there, then the function
  // itself.
  std::size_t group_size(std::span<const FrameId> stack, std::size_t at) const {
    std::size_t last = at;
    while (last < stack.size() && profile_.frame(stack[last]).kind == FrameKind::inlined) last++;
    if (last == at || last == stack.size()) return 1;
    const Frame& body = profile_.frame(stack[last]);
    if (body.kind == FrameKind::note || body.kind == FrameKind::waiting) return 1;
    for (std::size_t i = at; i < last; i++) {
      const Frame& call = profile_.frame(stack[i]);
      if (call.mapping != body.mapping || call.address != body.address) return 1;
    }
    return last - at + 1;
  }

  u64 new_location(std::span<const FrameId> innermost_first) {
    lines_.clear();
    for (const FrameId id : innermost_first)
      lines_.emplace_back(function_of(profile_.frame(id)), profile_.frame(id).line);
    const Frame& body = profile_.frame(innermost_first.back());
    const u64 id = ++locations_;
    Builder<LocationField> message{top_, ProfileField::location};
    message.add_uint64(LocationField::id, id);
    message.add_uint64(LocationField::mapping_id, mappings_.id_of(body));
    message.add_uint64(LocationField::address, body.address);
    for (const auto& [function, line] : lines_) {
      Builder<LineField> part{message, LocationField::line};
      part.add_uint64(LineField::function_id, function);
      part.add_int64(LineField::line, line);
    }
    return id;
  }

  u64 location_of(std::span<const FrameId> group) {
    if (group.size() == 1) {
      u64& known = frame_locations_[group[0].index()];
      if (known == 0) known = new_location(group);
      return known;
    }
    group_key_.clear();
    for (const FrameId id : group) group_key_.push_back(id.value());
    if (const auto found = group_locations_.find(group_key_); found != group_locations_.end())
      return found->second;
    const u64 id = new_location(group);
    group_locations_.emplace(group_key_, id);
    return id;
  }

  void write_sample(std::size_t index) {
    const Sample& sample = profile_.samples()[index];
    const auto stack = profile_.stack(sample.stack);
    sample_locations_.clear();
    for (std::size_t at = 0; at < stack.size();) {
      const std::size_t size = group_size(stack, at);
      sample_locations_.push_back(location_of(stack.subspan(at, size)));
      at += size;
    }
    Builder<SampleField> message{top_, ProfileField::sample};
    message.add_packed_uint64(SampleField::location_id, sample_locations_.begin(),
                              sample_locations_.end());
    const auto values = profile_.values(index);
    message.add_packed_int64(SampleField::value, values.begin(), values.end());
    write_labels(sample, message);
  }

  void add_text_label(Builder<SampleField>& sample, i64 key, i64 text) {
    Builder<LabelField> label{sample, SampleField::label};
    label.add_int64(LabelField::key, key);
    label.add_int64(LabelField::str, text);
  }

  // Ids are text: pprof puts numbers into buckets, and drops a 0.
  void write_labels(const Sample& sample, Builder<SampleField>& message) {
    if (sample.comm.index() != 0)
      add_text_label(message, strings_.id_of("comm"), string(sample.comm));
    if (has_pids_)
      add_text_label(message, strings_.id_of("pid"), strings_.id_of(std::to_string(sample.pid)));
    if (sample.tid != 0)
      add_text_label(message, strings_.id_of("tid"), strings_.id_of(std::to_string(sample.tid)));
    for (const Label& label : sample.labels) {
      if (!profile_.text(label.text).empty()) {
        add_text_label(message, string(label.key), string(label.text));
      } else if (label.number == 0 && profile_.text(label.unit).empty()) {
        add_text_label(message, string(label.key), strings_.id_of("0"));
      } else {
        Builder<LabelField> number{message, SampleField::label};
        number.add_int64(LabelField::key, string(label.key));
        number.add_int64(LabelField::num, label.number);
        number.add_int64(LabelField::num_unit, string(label.unit));
      }
    }
  }

  const Profile& profile_;
  Sink& sink_;
  PprofMappings mappings_;
  StringTable strings_;
  std::vector<i64> known_strings_;    // by StringId; -1: not yet
  std::vector<u64> frame_locations_;  // by FrameId; 0: not yet
  std::unordered_map<std::vector<u32>, u64, IdsHash> group_locations_;
  std::unordered_map<std::vector<u32>, u64, IdsHash> functions_;  // by name, file and marks
  u64 locations_ = 0;
  bool has_pids_ = false;
  std::vector<u64> sample_locations_;
  std::vector<u32> group_key_;
  std::vector<u32> function_key_;
  std::vector<std::pair<u64, u32>> lines_;
  std::string chunk_;
  Builder<ProfileField> top_{chunk_};
};

}  // namespace

Status write_pprof_raw(const Profile& profile, const WriteOptions&, Sink& sink) {
  return PprofWriter{profile, sink}.run();
}

Status write_pprof(const Profile& profile, const WriteOptions& options, Sink& sink) {
  GzipSink gzip{sink};
  TRY(write_pprof_raw(profile, options, gzip));
  return gzip.finish();
}

}  // namespace wick
