#include "formats/pprof/pprof_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "formats/frame_text.h"
#include "formats/pprof/pprof_marks.h"
#include "formats/pprof/pprof_tables.h"
#include "profile/sample_index.h"
#include "symbols/frame_name.h"

namespace wick {
namespace {

using namespace pprof;  // NOLINT(google-build-using-namespace): the field names, in this file alone

struct RawLabel {
  i64 key = 0;
  i64 text = 0;
  i64 number = 0;
  i64 unit = 0;
};

class PprofReader {
 public:
  PprofReader(std::string_view message, const ReadLimits& limits)
      : message_(message), limits_(limits) {}

  Result<Profile> run() {
    tables_ = TRY(scan_pprof(message_, limits_, at_));
    strings_.assign(tables_.strings.size(), kUnset);
    TRY(read_types());
    TRY(read_info());
    TRY(read_mappings());
    TRY(read_functions());
    TRY(read_locations());
    TRY(read_samples());
    return std::move(profile_);
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  static constexpr u32 kUnset = ~u32{0};
  struct Function {
    StringId name;
    StringId file;
    PprofMarks marks;
  };
  struct Location {
    std::size_t begin;  // into location_frames_
    u32 size;
  };

  Result<StringId> string(i64 index) {
    const std::string_view text = TRY(tables_.text(index));
    if (index == 0) return StringId{};
    u32& known = strings_[static_cast<std::size_t>(index)];
    if (known == kUnset) known = profile_.strings.intern(text).value();
    return StringId{known};
  }

  Result<ValueType> value_type(const PprofValueType& raw) {
    return ValueType{std::string(TRY(tables_.text(raw.type))),
                     std::string(TRY(tables_.text(raw.unit)))};
  }

  Status read_types() {
    std::vector<ValueType> types;
    for (const PprofValueType& raw : tables_.sample_types) types.push_back(TRY(value_type(raw)));
    if (types.empty()) return fail("no sample types: not a pprof profile");
    ProfileInfo& info = profile_.info;
    info.differential = types.size() >= 2 && types[0].type == "before" && types[1].type == "after";
    // As pprof does: the one named, else the last.
    const auto named =
        std::ranges::find(types, TRY(tables_.text(tables_.default_type)), &ValueType::type);
    info.default_value =
        named == types.end() ? types.size() - 1 : static_cast<std::size_t>(named - types.begin());
    values_.resize(types.size());
    profile_.set_value_types(std::move(types));
    return {};
  }

  Status read_info() {
    ProfileInfo& info = profile_.info;
    info.start_unix_ns = static_cast<u64>(std::max<i64>(tables_.time_ns, 0));
    info.duration_ns = static_cast<u64>(std::max<i64>(tables_.duration_ns, 0));
    info.period_type = TRY(value_type(tables_.period_type));
    info.period = tables_.period;
    for (const i64 comment : tables_.comments) read_comment(TRY(tables_.text(comment)));
    return {};
  }

  // As Wick writes them; other people's are theirs.
  void read_comment(std::string_view text) {
    ProfileInfo& info = profile_.info;
    const auto take = [&](std::string_view name) {
      if (!text.starts_with(name)) return false;
      text.remove_prefix(name.size());
      return true;
    };
    if (take("command: "))
      info.command = text;
    else if (take("host: "))
      info.host = text;
    else if (take("kernel: "))
      info.kernel = text;
    else if (take("cpus: "))
      info.cpus = parse_number<u32>(text).value_or(0);
    else if (take("lost or not whole: "))
      read_loss(text);
  }

  // "1,234 ring buffer full"
  void read_loss(std::string_view text) {
    std::string digits{take_until(text, ' ')};
    std::erase(digits, ',');
    if (const auto count = parse_number<u64>(digits); count && !text.empty())
      profile_.info.losses.push_back({.cause = std::string(text), .count = *count});
  }

  Status read_mappings() {
    for (const PprofRawMapping& raw : tables_.mappings) {
      if (!mapping_ids_.add(raw.id, static_cast<u32>(mappings_.size())))
        return fail(fmt::format("mapping {} is there twice", raw.id));
      mappings_.push_back(profile_.add_mapping({.path = TRY(string(raw.path)),
                                                .build_id = TRY(string(raw.build_id)),
                                                .start = raw.start,
                                                .limit = raw.limit,
                                                .file_offset = raw.offset}));
    }
    return {};
  }

  Status read_functions() {
    for (const PprofRawFunction& raw : tables_.functions) {
      if (!function_ids_.add(raw.id, static_cast<u32>(functions_.size())))
        return fail(fmt::format("function {} is there twice", raw.id));
      functions_.push_back(
          {.name = TRY(string(raw.name)),
           .file = TRY(string(raw.file)),
           .marks = pprof_marks(TRY(tables_.text(raw.name)), TRY(tables_.text(raw.system_name)))});
    }
    return {};
  }

  Status read_locations() {
    for (const PprofRawLocation& raw : tables_.locations) {
      if (!location_ids_.add(raw.id, static_cast<u32>(locations_.size())))
        return fail(fmt::format("location {} is there twice", raw.id));
      Frame frame{.address = raw.address};
      if (raw.mapping != 0) {
        const u32* row = mapping_ids_.find(raw.mapping);
        if (row == nullptr)
          return fail(fmt::format("location {}: mapping {} is not there", raw.id, raw.mapping));
        frame.mapping = mappings_[*row];
      }
      const std::size_t begin = location_frames_.size();
      for (u32 i = 0; i < raw.line_count; i++)
        TRY(read_line(frame, raw.id, tables_.lines[raw.first_line + i], i + 1 == raw.line_count));
      if (raw.line_count == 0) add_unknown(frame);
      locations_.push_back({begin, static_cast<u32>(location_frames_.size() - begin)});
    }
    return check_limits(profile_, limits_);
  }

  [[nodiscard]] FrameKind kind_by_mapping(const Frame& frame) const {
    const std::string_view path = profile_.text(profile_.mapping(frame.mapping).path);
    if (!path.empty() && is_kernel_object(path)) return FrameKind::kernel;
    return is_jit_object(path) ? FrameKind::jit : FrameKind::user;
  }

  Status read_line(Frame frame, u64 location, const PprofRawLine& line, bool outermost) {
    const u32* row = function_ids_.find(line.function);
    if (row == nullptr)
      return fail(fmt::format("location {}: function {} is not there", location, line.function));
    const Function& function = functions_[*row];
    constexpr i64 kMostLines = std::numeric_limits<u32>::max();
    frame.line = line.line > 0 && line.line <= kMostLines ? static_cast<u32>(line.line) : 0;
    frame.file = function.file;
    frame.name = function.name;
    frame.named = function.marks.named;
    frame.kind =
        function.marks.kind.value_or(outermost ? kind_by_mapping(frame) : FrameKind::inlined);
    if (frame.name.index() == 0)
      add_unknown(frame);
    else
      location_frames_.push_back(profile_.add_frame(frame));
    return {};
  }

  void add_unknown(Frame frame) {
    const Mapping& mapping = profile_.mapping(frame.mapping);
    frame.named = false;
    frame.kind = kind_by_mapping(frame);
    frame.name = profile_.strings.intern(
        frame.kind == FrameKind::kernel
            ? unknown_kernel_frame_name(frame.address)
            : unknown_frame_name(profile_.text(mapping.path),
                                 frame.address - mapping.start + mapping.file_offset));
    location_frames_.push_back(profile_.add_frame(frame));
  }

  Status read_samples() {
    constexpr u64 kCheckEvery = 4096;
    protozero::pbf_message<ProfileField> top{message_.data(), message_.size()};
    for (u64 number = 1; top.next(ProfileField::sample); number++) {
      at_ = message_.size() - top.data().size();
      if (Status status = read_sample(pprof_bytes(top)); !status)
        return std::unexpected(with_context(status.error(), fmt::format("sample {}", number)));
      if (number % kCheckEvery == 0) TRY(check_limits(profile_, limits_));
    }
    return check_limits(profile_, limits_);
  }

  Status read_sample(protozero::data_view bytes) {
    stack_.clear();
    Sample sample;
    std::size_t value_count = 0;
    Status status;
    protozero::pbf_message<SampleField> message{bytes};
    while (message.next() && status) {
      if (message.tag() == SampleField::location_id) {
        for_each_pprof_number(message, [&](i64 id) {
          if (status) status = add_location(static_cast<u64>(id));
        });
      } else if (message.tag() == SampleField::value) {
        for_each_pprof_number(message, [&](i64 value) {
          if (value_count < values_.size()) values_[value_count] = value;
          value_count++;
        });
      } else if (message.tag() == SampleField::label) {
        status = add_label(sample, pprof_bytes(message));
      } else {
        message.skip();
      }
    }
    TRY(std::move(status));
    if (value_count != values_.size())
      return fail(
          fmt::format("{} where {} are told", counted(value_count, "value"), values_.size()));
    sample.stack = profile_.add_stack(stack_);
    samples_.add(profile_, std::move(sample), values_);
    return {};
  }

  Status add_location(u64 id) {
    const u32* row = location_ids_.find(id);
    if (row == nullptr) return fail(fmt::format("location {} is not there", id));
    const Location& location = locations_[*row];
    if (stack_.size() + location.size > limits_.depth)
      return fail(fmt::format("deeper than {} frames", limits_.depth));
    const auto begin = location_frames_.begin() + static_cast<std::ptrdiff_t>(location.begin);
    stack_.insert(stack_.end(), begin, begin + location.size);
    return {};
  }

  Status add_label(Sample& sample, protozero::data_view bytes) {
    RawLabel raw;
    protozero::pbf_message<LabelField> message{bytes};
    while (message.next()) {
      const LabelField field = message.tag();
      const i64 number = pprof_number(message);
      if (field == LabelField::key) raw.key = number;
      if (field == LabelField::str) raw.text = number;
      if (field == LabelField::num) raw.number = number;
      if (field == LabelField::num_unit) raw.unit = number;
    }
    const std::string_view key = TRY(tables_.text(raw.key));
    const std::string_view text = TRY(tables_.text(raw.text));
    if (take_task_label(sample, key, text, raw)) {
      if (key == "comm") sample.comm = TRY(string(raw.text));
      return {};
    }
    if (++labels_ > limits_.labels)
      return fail(fmt::format("more than {} labels so far", with_commas(limits_.labels)));
    sample.labels.push_back({.key = TRY(string(raw.key)),
                             .text = TRY(string(raw.text)),
                             .number = text.empty() ? raw.number : 0,
                             .unit = text.empty() ? TRY(string(raw.unit)) : StringId{}});
    return {};
  }

  // Wick writes ids as text, others as numbers. What does not fit stays a label.
  static bool take_task_label(Sample& sample, std::string_view key, std::string_view text,
                              const RawLabel& raw) {
    if (key == "comm") return !text.empty() && sample.comm.index() == 0;
    if (key != "pid" && key != "tid") return false;
    u32& id = key == "pid" ? sample.pid : sample.tid;
    const bool fits = raw.number >= 0 && raw.number <= std::numeric_limits<u32>::max();
    const auto number = !text.empty() ? parse_number<u32>(text)
                        : fits        ? std::optional(static_cast<u32>(raw.number))
                                      : std::nullopt;
    if (!number || id != 0) return false;
    id = *number;
    return true;
  }

  std::string_view message_;
  const ReadLimits& limits_;
  std::size_t at_ = 0;
  PprofTables tables_;
  Profile profile_;
  std::vector<u32> strings_;  // by the file's index; the profile's id
  PprofIds mapping_ids_, function_ids_, location_ids_;
  std::vector<MappingId> mappings_;
  std::vector<Function> functions_;
  std::vector<Location> locations_;
  std::vector<FrameId> location_frames_;
  std::vector<FrameId> stack_;
  std::vector<i64> values_;
  std::size_t labels_ = 0;
  SampleIndex samples_;
};

}  // namespace

Result<Profile> read_pprof(std::string_view message, const ReadLimits& limits) {
  PprofReader reader{message, limits};
  // protozero throws where a message is cut or is none.
  try {
    return reader.run();
  } catch (const protozero::exception& problem) {
    return fail(
        fmt::format("not a whole pprof profile: {} near byte {}", problem.what(), reader.at()));
  }
}

}  // namespace wick
