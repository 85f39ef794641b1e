#include "kernel/probe/kprobe_multi.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <span>
#include <string>

#include "base/fd.h"
#include "base/text.h"
#include "kernel/perf_event.h"
#include "kernel/probe/function_hooks.h"
#include "kernel/trial.h"

namespace wick {
namespace {

struct Functions {
  std::span<const u64> addresses;
  std::span<const u64> cookies;
  bool on_return;

  [[nodiscard]] Functions part(std::size_t from, std::size_t count) const {
    return {addresses.subspan(from, count), cookies.subspan(from, count), on_return};
  }
};

// One that cannot be hooked spoils them all: then each half for itself.
void attach_multi(const bpf_program* program, Functions functions, FunctionLinks& out) {
  bpf_kprobe_multi_opts options{};
  options.sz = sizeof(options);
  options.addrs = functions.addresses.data();
  options.cookies = reinterpret_cast<const __u64*>(functions.cookies.data());
  options.cnt = functions.addresses.size();
  options.retprobe = functions.on_return;
  if (bpf_link* link = bpf_program__attach_kprobe_multi_opts(program, nullptr, &options)) {
    out.links.emplace_back(link);
    return;
  }
  const std::size_t half = functions.addresses.size() / 2;
  if (half == 0) {
    out.refused++;
    return;
  }
  attach_multi(program, functions.part(0, half), out);
  attach_multi(program, functions.part(half, functions.addresses.size() - half), out);
}

// By address: several functions may have one name.
Result<Link> attach_kprobe_at(const bpf_program* program, u32 type, const ProbePlace& place,
                              bool on_return) {
  perf_event_attr attr{};
  attr.type = type;
  attr.config = on_return ? 1 : 0;
  attr.kprobe_addr = place.address;
  return attach_to_event(program, TRY(perf_event_open(attr, -1, 0)), place.cookie);
}

Status attach_one_by_one(const bpf_program* program, const ProbeSpec& spec, FunctionLinks& out) {
  const std::string text = TRY(read_file(kKprobeType));
  const auto type = parse_number<u32>(trim(text));
  if (!type) return fail(fmt::format("{} has no number", kKprobeType));
  for (const ProbePlace& place : spec.places) {
    auto link = attach_kprobe_at(program, *type, place, spec.is_on_return());
    if (link)
      out.links.push_back(std::move(*link));
    else
      out.refused++;
  }
  return {};
}

void attach_all_at_once(const bpf_program* program, const ProbeSpec& spec, FunctionLinks& out) {
  std::vector<u64> addresses;
  std::vector<u64> cookies;
  for (const ProbePlace& place : spec.places) {
    addresses.push_back(place.address);
    cookies.push_back(place.cookie);
  }
  if (!addresses.empty()) attach_multi(program, {addresses, cookies, spec.is_on_return()}, out);
}

}  // namespace

int kprobe_multi_trial() {
  const auto program =
      feature::load_nothing({.type = BPF_PROG_TYPE_KPROBE, .attach_type = BPF_TRACE_KPROBE_MULTI});
  if (!program) return program.error().code;
  const char* symbol = "no_such_function_of_wick";
  bpf_link_create_opts options{};
  options.sz = sizeof(options);
  options.kprobe_multi.syms = &symbol;
  options.kprobe_multi.cnt = 1;
  const Fd link(bpf_link_create(program->get(), 0, BPF_TRACE_KPROBE_MULTI, &options));
  // It looked for the function, and did not find it.
  return errno == ESRCH || errno == ENOENT ? 0 : errno;
}

Result<FunctionLinks> attach_to_functions(const bpf_program* program, const ProbeSpec& spec) {
  FunctionLinks out;
  if (spec.kind == ProbeKind::kprobe_multi || spec.kind == ProbeKind::kretprobe_multi)
    attach_all_at_once(program, spec, out);
  else
    TRY(attach_one_by_one(program, spec, out));
  if (out.links.empty())
    return fail(fmt::format("none of {} can be hooked", counted(spec.places.size(), "function")));
  return out;
}

}  // namespace wick
