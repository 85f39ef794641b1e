// fmt, compiled once. Debian has no static library of it, and header-only use costs every file that
// formats a number 4 s of compiling; so the parts of fmt that are not templates, and those its
// headers promise elsewhere, are made here. Prefer fmt::format to fmt::format_to: the latter
// compiles the whole formatter into its caller again.
#include <fmt/format-inl.h>

namespace fmt::inline v9::detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);

}  // namespace fmt::inline v9::detail
