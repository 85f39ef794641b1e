#include "symbols/demangle.h"

// libiberty declares basename() its own way unless told that there is one.
#define HAVE_DECL_BASENAME 1  // NOLINT(cppcoreguidelines-macro-usage)
#include <libiberty/demangle.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <memory>

namespace wick {
namespace {

// libiberty takes 70 bytes of stack for each byte of a name.
constexpr std::size_t kMaxMangled = 4096;
// Substitutions let a name of a few hundred bytes print as gigabytes.
constexpr std::size_t kMaxText = 16U << 10;
// D's demangler gives no way to stop it; a back reference may double the work of those before it,
// so a name with many stays as it is.
constexpr std::size_t kMaxDName = 1024;
constexpr std::ptrdiff_t kMaxDReferences = 24;

struct Output {
  std::string text;
  std::jmp_buf overflow;
};

void append(const char* text, std::size_t size, void* opaque) {
  auto& out = *static_cast<Output*>(opaque);
  // Only frames of libiberty, which is C and holds nothing here, lie between this and setjmp.
  if (size > kMaxText - out.text.size()) std::longjmp(out.overflow, 1);  // NOLINT
  out.text.append(text, size);
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

// Apart from its caller, so that no object with a destructor lives in the frame of setjmp.
bool run(Demangler demangler, const char* name, int options, Output& out) {
  if (setjmp(out.overflow) != 0) return false;  // NOLINT
  return demangler(name, options, append, &out) != 0;
}

bool demangle_d(const std::string& name, int options, std::string& out) {
  if (name.size() > kMaxDName || std::ranges::count(name, 'Q') > kMaxDReferences) return false;
  const std::unique_ptr<char, decltype(&std::free)> text{::dlang_demangle(name.c_str(), options),
                                                         &std::free};
  if (text == nullptr) return false;
  out = text.get();
  return out.size() <= kMaxText;
}

}  // namespace

std::string demangle(std::string_view name, DemangleStyle style) {
  const bool itanium = name.starts_with("_Z");
  const bool rust = name.starts_with("_R");
  const bool d = name.starts_with("_D");
  if (style == DemangleStyle::none || name.size() > kMaxMangled || !(itanium || rust || d))
    return std::string{name};
  const int options = style == DemangleStyle::full ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
  const std::string mangled{name};
  Output out{};
  // Rust's older names are C++ names that end in a hash.
  bool done = (itanium || rust) && run(::rust_demangle_callback, mangled.c_str(), options, out);
  if (!done && itanium) {
    out.text.clear();
    done = run(::cplus_demangle_v3_callback, mangled.c_str(), options, out);
  }
  if (d) done = demangle_d(mangled, options, out.text);
  if (!done || out.text.empty()) return std::string{name};
  return std::move(out.text);
}

std::string_view without_version(std::string_view name) {
  return name.substr(0, name.find('@', 1));
}

}  // namespace wick
