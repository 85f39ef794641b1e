// Any bytes as the memory of a Ruby process: what is read of instruction sequences, methods, texts
// and lines stays in bounds and is printable.
#include <algorithm>

#include "runtime/ruby/ruby_code.h"

namespace {

void check_text(const std::optional<std::string>& text) {
  if (!text) return;
  for (const char c : *text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto image = std::as_bytes(std::span{data, size});
  const wick::ReadMemory read = [&](wick::u64 address, std::span<std::byte> out) {
    if (address > image.size() || out.size() > image.size() - address) return false;
    std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(address), out.size(), out.begin());
    return true;
  };
  if (image.size() < wick::kRubyObjectBytes) return 0;
  const auto object = image.first(wick::kRubyObjectBytes);
  if (const auto definition = wick::method_definition(object))
    check_text(wick::read_ruby_id(wick::read_method_id(*definition, read), 64, read));
  const auto body = wick::iseq_body(object);
  if (!body || *body > image.size()) return 0;
  const auto code = wick::parse_ruby_body(image.subspan(*body));
  if (!code) return 0;
  check_text(wick::read_ruby_string(code->label, read));
  check_text(wick::read_ruby_path(code->file, read));
  for (const wick::u32 position : {0U, 53U, 54U, 117U, 566U, ~0U})
    (void)wick::read_ruby_line(*code, position, read);
  return 0;
}
