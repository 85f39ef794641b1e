// Folded stacks from anywhere: reading must not crash, and what was read must survive being written
// and read again. Every other writer gets the same hostile names.
#include "formats/folded/folded_reader.h"
#include "formats/read_stream.h"
#include "fuzz_reader.h"

namespace {

std::string folded(const wick::Profile& profile) {
  wick::StringSink sink;
  if (!write_profile(profile, wick::Format::folded, {.annotate_kernel = true}, sink)) std::abort();
  return std::move(sink.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = wick::fuzz::read_bytes(data, size, wick::InputKind::folded);
  if (!profile || wick::is_gzip(text)) return 0;

  const std::string once = folded(*profile);
  const auto reread = wick::read_folded(once);
  if (!reread || folded(*reread) != once || reread->total() != profile->total()) std::abort();

  wick::FoldedReader reader;
  if (!reader.feed(text.substr(0, size / 2)) || !reader.feed(text.substr(size / 2))) std::abort();
  const auto pieces = reader.finish();
  if (!pieces || folded(*pieces) != once) std::abort();

  wick::fuzz::check_writers(*profile, size);
  return 0;
}
