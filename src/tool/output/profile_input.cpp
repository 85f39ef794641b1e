#include "tool/output/profile_input.h"

#include <fmt/format.h>

#include "base/text.h"
#include "profile/filter.h"
#include "profile/merge.h"
#include "views/names.h"

namespace wick {
namespace {

Result<Filter> filter_of(const InputOptions& options) {
  FilterSpec spec{.focus = options.focus.list,
                  .ignore = options.ignore.list,
                  .hide = options.hide.list,
                  .from_frame = options.from_frame.list,
                  .comms = options.comms,
                  .pids = options.pids,
                  .labels = {},
                  .collapse_recursion = options.collapse_recursion,
                  .reverse = options.reverse};
  for (const std::string& label : options.labels.list) {
    std::string_view rest = label;
    const std::string_view key = take_until(rest, '=');
    if (key.empty() || label.find('=') == std::string::npos)
      return fail_usage(fmt::format("--label: '{}' is not KEY=VALUE", printable(label)));
    spec.labels.emplace_back(key, rest);
  }
  return Filter::compile(std::move(spec));
}

std::string spoken(const ValueType& type) {
  return fmt::format("{} ({})", printable(type.type), printable(type.unit));
}

Status choose_value(Profile& profile, const InputOptions& options) {
  if (!options.value) return {};
  std::string known;
  for (std::size_t i = 0; i < profile.value_types().size(); i++) {
    const ValueType& type = profile.value_types()[i];
    if (type.type == *options.value) {
      profile.info.default_value = i;
      return {};
    }
    known.append(known.empty() ? "" : ", ").append(spoken(type));
  }
  return fail_usage(fmt::format("--value: the profile has no '{}'", printable(*options.value)),
                    "it has " + known);
}

// Several events or maps in one file: one is shown, and the person should know of the others.
void say_other_values(Session& session, const Profile& profile, const InputOptions& options) {
  if (options.value || profile.info.differential || profile.value_types().size() < 3) return;
  const ValueType& shown = profile.value_types()[profile.info.default_value];
  std::string others;
  for (const ValueType& type : profile.value_types())
    if (type != shown) others.append(others.empty() ? "" : ", ").append(spoken(type));
  session.note(fmt::format("shown is {}; --value NAME chooses another: {}", spoken(shown), others));
}

}  // namespace

Result<Profile> read_inputs(Session& session, const std::vector<std::string>& paths,
                            const InputOptions& options, bool moments) {
  const Filter filter = TRY(filter_of(options));
  ReadOptions read{.moments = moments};
  if (options.from) read.kind = TRY_CTX(input_named(*options.from), "--from");
  read.stopped = [&] { return session.stop_requests() > 0; };
  ProfileMerger merger;
  for (const std::string& path : paths) {
    read.progress = [&](u64 done, u64 total) {
      session.progress(
          total == 0 ? fmt::format("reading {}: {} MB", printable(path), done >> 20)
                     : fmt::format("reading {}: {}%", printable(path), done / (total / 100 + 1)));
    };
    Result<Profile> part = read_profile(path, read);
    session.progress({});
    if (!part) return std::unexpected(std::move(part).error());
    TRY_CTX(merger.add(std::move(*part)), printable(path));
  }
  Profile whole = std::move(merger).finish();
  TRY(choose_value(whole, options));
  say_other_values(session, whole, options);
  if (filter.empty()) return whole;
  Profile narrowed = filter.apply(whole);
  if (narrowed.samples().empty() && !whole.samples().empty())
    session.note("nothing is left: no stack passes the filters");
  return narrowed;
}

std::string contents_text(const Profile& profile) {
  const std::size_t value = profile.info.default_value;
  const ValueType& type = profile.value_types()[value];
  const auto total = [&](std::size_t index) {
    const i64 sum = profile.total(index);
    return (sum < 0 ? "-" : "") +
           with_commas(sum < 0 ? u64{0} - static_cast<u64>(sum) : static_cast<u64>(sum));
  };
  std::string out = profile.info.differential
                        ? fmt::format("{} before, {} after", total(0), total(1))
                        : fmt::format("{} {}", total(value),
                                      printable(type.unit == "count" ? type.type : type.unit));
  out += fmt::format(" in {}", counted(profile.stack_count(), "stack"));
  if (const std::string lost = losses_text(profile.info); !lost.empty()) out += "; " + lost;
  return out;
}

}  // namespace wick
