#include "formats/json/wick_json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "formats/json/wick_json_builder.h"

namespace wick {
namespace {

// Where in the file a value stands.
enum class JsonPlace : u8 {
  outside,
  other,  // what Wick does not look at
  root,
  info,
  period_type,
  losses,
  loss,
  value_types,
  value_type,
  mappings,
  mapping,
  samples,
  sample,
  values,
  labels,
  label_list,
  label,
  stack,
  frame,
  moments,
  moment,
};

JsonPlace below_root(std::string_view key) {
  if (key == "info") return JsonPlace::info;
  if (key == "value_types") return JsonPlace::value_types;
  if (key == "mappings") return JsonPlace::mappings;
  if (key == "samples") return JsonPlace::samples;
  return key == "moments" ? JsonPlace::moments : JsonPlace::other;
}

JsonPlace below_sample(std::string_view key) {
  if (key == "values") return JsonPlace::values;
  if (key == "labels") return JsonPlace::labels;
  return key == "stack" ? JsonPlace::stack : JsonPlace::other;
}

JsonPlace json_place_below(JsonPlace parent, std::string_view key, bool is_list) {
  switch (parent) {
    case JsonPlace::outside:
      return JsonPlace::root;
    case JsonPlace::root:
      return below_root(key);
    case JsonPlace::info:
      if (key == "period_type") return JsonPlace::period_type;
      return key == "losses" ? JsonPlace::losses : JsonPlace::other;
    case JsonPlace::losses:
      return JsonPlace::loss;
    case JsonPlace::value_types:
      return JsonPlace::value_type;
    case JsonPlace::mappings:
      return JsonPlace::mapping;
    case JsonPlace::samples:
      return JsonPlace::sample;
    case JsonPlace::sample:
      return below_sample(key);
    case JsonPlace::labels:
      return is_list ? JsonPlace::label_list : JsonPlace::label;
    case JsonPlace::label_list:
      return JsonPlace::label;
    case JsonPlace::stack:
      return JsonPlace::frame;
    case JsonPlace::moments:
      return JsonPlace::moment;
    default:
      return JsonPlace::other;
  }
}

u64 hex_number(std::string_view text) {
  if (!text.starts_with("0x")) return 0;
  return parse_number<u64>(text.substr(2), 16).value_or(0);
}

u32 small_number(u64 value) {
  return value <= std::numeric_limits<u32>::max() ? static_cast<u32>(value) : 0;
}

// nlohmann asks for these names.
class WickJsonHandler {
 public:
  explicit WickJsonHandler(const WickJsonOptions& options) : builder(options) {}

  bool null() { return true; }
  bool boolean(bool value) {
    if (place() == JsonPlace::info && key_ == "differential") builder.info().differential = value;
    if (place() == JsonPlace::info && key_ == "comm_is_a_frame")
      builder.info().comm_is_a_frame = value;
    if (place() == JsonPlace::frame && key_ == "named") frame_.named = value;
    return true;
  }
  bool number_integer(i64 value) {
    return number(value, static_cast<u64>(std::max<i64>(0, value)));
  }
  bool number_unsigned(u64 value) {
    constexpr u64 kMost = std::numeric_limits<i64>::max();
    if (value > kMost && (place() == JsonPlace::values || place() == JsonPlace::moment))
      return refuse("a number too large to count with");
    return number(static_cast<i64>(std::min(value, kMost)), value);
  }
  bool number_float(double /*value*/, const std::string& text) {
    if (place() == JsonPlace::other) return true;
    return refuse(fmt::format("{} is no whole number", printable(text.substr(0, 40))));
  }
  bool binary(std::vector<u8>& /*value*/) { return true; }
  bool string(std::string& value);
  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t /*size*/) { return enter(false); }
  bool end_object() { return leave(); }
  bool start_array(std::size_t /*size*/) { return enter(true); }
  bool end_array() { return leave(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*what*/) {
    return refuse(fmt::format("no whole JSON: byte {}", position));
  }

  WickJsonBuilder builder;
  std::string problem;

 private:
  bool refuse(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return false;
  }
  bool accept(const Status& status) { return status ? true : refuse(status.error().text()); }
  [[nodiscard]] JsonPlace place() const { return places_.back(); }

  bool enter(bool is_list);
  bool leave();
  bool number(i64 value, u64 positive);
  void info_number(i64 value, u64 positive);
  bool label_value(std::string text, i64 number);

  std::vector<JsonPlace> places_{JsonPlace::outside};
  std::string key_;
  ValueType type_;
  Loss loss_;
  WickJsonMapping mapping_;
  WickJsonSample sample_;
  WickJsonLabel label_;
  WickJsonFrame frame_;
  std::vector<i64> moment_;
};

bool WickJsonHandler::enter(bool is_list) {
  constexpr std::size_t kDeepest = 64;
  if (places_.size() > kDeepest) return refuse(fmt::format("deeper than {} levels", kDeepest));
  if (place() == JsonPlace::labels) label_.key = key_;
  places_.push_back(json_place_below(place(), key_, is_list));
  key_.clear();
  switch (place()) {
    case JsonPlace::value_type:
    case JsonPlace::period_type:
      type_ = {};
      break;
    case JsonPlace::loss:
      loss_ = {};
      break;
    case JsonPlace::mapping:
      mapping_ = {};
      break;
    case JsonPlace::sample:
      sample_ = {};
      break;
    case JsonPlace::frame:
      frame_ = {};
      break;
    case JsonPlace::label:
      label_.text.clear();
      label_.unit.clear();
      label_.number = 0;
      break;
    case JsonPlace::moment:
      moment_.clear();
      break;
    default:
      break;
  }
  return true;
}

bool WickJsonHandler::leave() {
  const JsonPlace left = place();
  places_.pop_back();
  key_.clear();
  switch (left) {
    case JsonPlace::value_type:
      return accept(builder.add_type(std::move(type_)));
    case JsonPlace::period_type:
      builder.info().period_type = std::move(type_);
      return true;
    case JsonPlace::loss:
      return accept(builder.add_loss(std::move(loss_)));
    case JsonPlace::mapping:
      return accept(builder.add_mapping(mapping_));
    case JsonPlace::sample:
      return accept(builder.add_sample(sample_));
    case JsonPlace::frame:
      return accept(builder.add_frame(frame_));
    case JsonPlace::label:
      return accept(builder.add_label(label_));
    case JsonPlace::moment:
      if (moment_.size() != 3 || moment_[0] < 0 || moment_[1] < 0 ||
          moment_[1] > std::numeric_limits<u32>::max())
        return refuse("a moment that is not [time, sample, value]");
      return accept(builder.add_moment({.time_ns = static_cast<u64>(moment_[0]),
                                        .sample = static_cast<u32>(moment_[1]),
                                        .value = moment_[2]}));
    default:
      return true;
  }
}

bool WickJsonHandler::label_value(std::string text, i64 number) {
  if (place() == JsonPlace::labels) label_.key = key_;
  label_.text = std::move(text);
  label_.number = number;
  label_.unit.clear();
  return accept(builder.add_label(label_));
}

bool WickJsonHandler::string(std::string& value) {
  const auto take = [&](std::string_view key, std::string& into) {
    if (key_ == key) into = std::move(value);
    return key_ == key;
  };
  switch (place()) {
    case JsonPlace::info: {
      ProfileInfo& info = builder.info();
      take("title", info.title) || take("command", info.command) || take("host", info.host) ||
          take("kernel", info.kernel);
      return true;
    }
    case JsonPlace::value_type:
    case JsonPlace::period_type:
      take("type", type_.type) || take("unit", type_.unit);
      return true;
    case JsonPlace::loss:
      take("cause", loss_.cause);
      return true;
    case JsonPlace::mapping:
      if (key_ == "start") mapping_.start = hex_number(value);
      if (key_ == "limit") mapping_.limit = hex_number(value);
      if (key_ == "file_offset") mapping_.file_offset = hex_number(value);
      take("path", mapping_.path) || take("build_id", mapping_.build_id);
      return true;
    case JsonPlace::sample:
      take("comm", sample_.comm);
      return true;
    case JsonPlace::labels:
    case JsonPlace::label_list:
      return label_value(std::move(value), 0);
    case JsonPlace::label:
      take("unit", label_.unit);
      return true;
    case JsonPlace::frame:
      if (key_ == "address") frame_.address = hex_number(value);
      take("name", frame_.name) || take("kind", frame_.kind) || take("mapping", frame_.mapping) ||
          take("file", frame_.file);
      return true;
    default:
      return true;
  }
}

void WickJsonHandler::info_number(i64 value, u64 positive) {
  ProfileInfo& info = builder.info();
  if (key_ == "start_unix_ns") info.start_unix_ns = positive;
  if (key_ == "duration_ns") info.duration_ns = positive;
  if (key_ == "period") info.period = value;
  if (key_ == "cpus") info.cpus = small_number(positive);
  if (key_ == "default_value") info.default_value = positive;
}

bool WickJsonHandler::number(i64 value, u64 positive) {
  switch (place()) {
    case JsonPlace::info:
      info_number(value, positive);
      return true;
    case JsonPlace::loss:
      if (key_ == "count") loss_.count = positive;
      return true;
    case JsonPlace::sample:
      if (key_ == "pid") sample_.pid = small_number(positive);
      if (key_ == "tid") sample_.tid = small_number(positive);
      return true;
    case JsonPlace::values:
      return accept(builder.add_value(value));
    case JsonPlace::labels:
    case JsonPlace::label_list:
      return label_value({}, value);
    case JsonPlace::label:
      if (key_ == "number") label_.number = value;
      return true;
    case JsonPlace::frame:
      if (key_ == "line") frame_.line = small_number(positive);
      return true;
    case JsonPlace::moment:
      if (moment_.size() < 4) moment_.push_back(value);
      return true;
    default:
      return true;
  }
}

}  // namespace

Result<Profile> read_wick_json(std::string_view json, const WickJsonOptions& options) {
  WickJsonHandler handler{options};
  // Some of nlohmann's errors are thrown, whatever the handler says.
  try {
    if (!nlohmann::json::sax_parse(json, &handler))
      return fail(handler.problem.empty() ? "no whole JSON" : std::move(handler.problem));
  } catch (const nlohmann::json::exception&) {
    return fail("no whole JSON");
  }
  return handler.builder.finish();
}

}  // namespace wick
