// WickJsonBuilder: a profile from the pieces of Wick's JSON, each checked as it comes. Used by
// wick_json_reader.cpp, which knows where in the file a piece stands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "formats/json/wick_json_reader.h"

namespace wick {

struct WickJsonFrame {
  std::string name;
  std::string kind;
  std::string mapping;
  std::string file;
  u64 address = 0;
  u32 line = 0;
  bool named = true;
};

struct WickJsonMapping {
  std::string path;
  std::string build_id;
  u64 start = 0;
  u64 limit = 0;
  u64 file_offset = 0;
};

struct WickJsonLabel {
  std::string key;
  std::string text;
  i64 number = 0;
  std::string unit;
};

struct WickJsonSample {
  std::string comm;
  u32 pid = 0;
  u32 tid = 0;
};

class WickJsonBuilder {
 public:
  explicit WickJsonBuilder(const WickJsonOptions& options) : options_(options) {}

  [[nodiscard]] ProfileInfo& info() { return profile_.info; }
  [[nodiscard]] Status add_type(ValueType type);
  [[nodiscard]] Status add_loss(Loss loss);
  [[nodiscard]] Status add_mapping(const WickJsonMapping& mapping);

  // A sample's parts, then itself.
  [[nodiscard]] Status add_frame(const WickJsonFrame& frame);
  [[nodiscard]] Status add_value(i64 value);
  [[nodiscard]] Status add_label(const WickJsonLabel& label);
  [[nodiscard]] Status add_sample(const WickJsonSample& sample);

  [[nodiscard]] Status add_moment(const Moment& moment);
  // Checks what could not be checked before the end.
  [[nodiscard]] Result<Profile> finish();

 private:
  [[nodiscard]] Status check_mappings() const;
  [[nodiscard]] MappingId mapping_of(const WickJsonFrame& frame);

  const WickJsonOptions& options_;
  Profile profile_;
  std::vector<ValueType> types_;
  std::size_t columns_ = 0;  // of the first sample: the types may stand behind the samples
  std::unordered_map<u32, std::vector<MappingId>> mappings_;  // by path
  std::vector<FrameId> stack_;
  std::vector<i64> values_;
  std::vector<Label> labels_;
  std::size_t label_count_ = 0;
  std::vector<Moment> moments_;
  u64 moments_left_out_ = 0;
};

}  // namespace wick
