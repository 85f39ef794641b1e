// The part of worker/answers.h that is about names.
#include <algorithm>

#include "worker/answers.h"
#include "worker/requests.h"

namespace wick {
namespace {

constexpr u32 kLongestBuildId = 256;
constexpr u32 kLongestPath = 8192;
constexpr u64 kMostPlaces = 4'000'000;
constexpr u64 kMostTexts = 4'000'000;

struct PlaceRecord {
  u64 vaddr;
  u64 function_start;
  u32 name;
  SourceSpot spot;
  u32 first_inlined;
  u32 inlined_count;
  u32 is_broken;
  u32 unused;
};

struct OffsetRecord {
  u64 file_offset;
  u64 is_return;
};

bool is_sound(const NamesAnswer& answer, std::size_t places) {
  const std::size_t texts = answer.texts.size();
  const auto is_text = [&](u32 number) { return number < texts; };
  const auto is_spot = [&](const SourceSpot& spot) {
    return is_text(spot.function) && is_text(spot.file);
  };
  if (answer.places.size() != places || !std::ranges::all_of(answer.inlined, is_spot)) return false;
  // Each inlined call belongs to one place, or a short answer could become long stacks.
  u64 inlined = 0;
  for (const NamedPlace& place : answer.places) {
    inlined += place.inlined_count;
    if (!is_text(place.name) || !is_spot(place.spot) ||
        u64{place.first_inlined} + place.inlined_count > answer.inlined.size())
      return false;
  }
  return inlined <= answer.inlined.size();
}

}  // namespace

std::vector<std::byte> encode(const NamesAnswer& answer) {
  WireWriter out;
  out.put<u8>(answer.readable ? 1 : 0);
  encode(out, answer.lines_spent);
  encode(out, answer.spent);
  out.text(std::string_view(answer.build_id).substr(0, kLongestBuildId));
  out.put<u8>(answer.lines_found ? 1 : 0);
  out.put<u8>(answer.lines_damaged ? 1 : 0);
  out.put(answer.missing_split_units);
  out.put(static_cast<u64>(answer.texts.size() - 1));
  for (u32 i = 1; i < answer.texts.size(); i++) out.text(answer.texts.at(i));
  std::vector<PlaceRecord> places;
  places.reserve(answer.places.size());
  for (const NamedPlace& place : answer.places)
    places.push_back({.vaddr = place.vaddr,
                      .function_start = place.function_start,
                      .name = place.name,
                      .spot = place.spot,
                      .first_inlined = place.first_inlined,
                      .inlined_count = place.inlined_count,
                      .is_broken = place.is_broken ? 1U : 0U,
                      .unused = 0});
  out.array(std::span<const PlaceRecord>(places));
  out.array(std::span<const SourceSpot>(answer.inlined));
  return out.take();
}

Result<NamesAnswer> decode_names_answer(std::span<const std::byte> bytes, std::size_t places) {
  ByteReader in{bytes};
  NamesAnswer answer;
  answer.readable = in.byte() != 0;
  answer.lines_spent = decode_budget_report(in);
  answer.spent = decode_budget_report(in);
  answer.build_id = wire_text(in, kLongestBuildId);
  answer.lines_found = in.byte() != 0;
  answer.lines_damaged = in.byte() != 0;
  answer.missing_split_units = in.fixed<u64>();
  const u64 texts = in.fixed<u64>();
  for (u64 i = 0; i < texts && in.ok() && i < kMostTexts; i++)
    if (!answer.texts.append(wire_text(in, AnswerTexts::kLongestBytes))) break;
  for (const PlaceRecord& place : wire_array<PlaceRecord>(in, kMostPlaces))
    answer.places.push_back({.vaddr = place.vaddr,
                             .function_start = place.function_start,
                             .name = place.name,
                             .spot = place.spot,
                             .first_inlined = place.first_inlined,
                             .inlined_count = place.inlined_count,
                             .is_broken = place.is_broken != 0});
  answer.inlined = wire_array<SourceSpot>(in, kMostPlaces);
  if (!in.ok() || !in.done()) return fail("an answer about names is malformed");
  if (!answer.readable) return NamesAnswer{.spent = answer.spent};
  const bool is_hex = std::ranges::all_of(
      answer.build_id, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!is_hex || !is_sound(answer, places)) return fail("an answer about names is out of order");
  return answer;
}

void encode(WireWriter& out, const NamesQuestion& question) {
  out.text(std::string_view(question.path).substr(0, kLongestPath));
  out.put<u8>(question.lines ? 1 : 0);
  std::vector<OffsetRecord> places;
  places.reserve(question.places.size());
  for (const NamePlace& place : question.places)
    places.push_back({place.file_offset, place.is_return ? 1U : 0U});
  out.array(std::span<const OffsetRecord>(places));
}

NamesQuestion decode_names_request(ByteReader& in) {
  NamesQuestion question;
  question.path = wire_text(in, kLongestPath);
  question.lines = in.byte() != 0;
  for (const OffsetRecord& place : wire_array<OffsetRecord>(in, kMostPlaces))
    question.places.push_back({place.file_offset, place.is_return != 0});
  return question;
}

}  // namespace wick
