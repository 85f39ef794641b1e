#include "kernel/kprobe_multi.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/text.h"
#include "kernel/function_hooks.h"
#include "kernel/perf_event.h"
#include "kernel/trial.h"

namespace wick {
namespace {

// libbpf's programs have no room for it; commands run one at a time.
std::map<const bpf_program*, std::vector<u64>>& functions_of_programs() {
  static std::map<const bpf_program*, std::vector<u64>> functions;
  return functions;
}

struct Functions {
  std::span<const u64> addresses;
  std::span<const u64> cookies;

  [[nodiscard]] Functions part(std::size_t from, std::size_t count) const {
    return {addresses.subspan(from, count), cookies.subspan(from, count)};
  }
};

bool is_on_return(const bpf_program* program) {
  return std::string_view{bpf_program__section_name(program)}.starts_with("kret");
}

// One that cannot be hooked spoils them all: then each half for itself.
void attach_multi(const bpf_program* program, Functions functions, FunctionLinks& out) {
  bpf_kprobe_multi_opts options{};
  options.sz = sizeof(options);
  options.addrs = functions.addresses.data();
  options.cookies = reinterpret_cast<const __u64*>(functions.cookies.data());
  options.cnt = functions.addresses.size();
  options.retprobe = is_on_return(program);
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
Result<Link> attach_kprobe(const bpf_program* program, u32 type, u64 address, u64 cookie) {
  perf_event_attr attr{};
  attr.type = type;
  attr.config = is_on_return(program) ? 1 : 0;
  attr.kprobe_addr = address;
  Fd event = TRY(perf_event_open(attr, -1, 0, PERF_FLAG_FD_CLOEXEC));
  bpf_perf_event_opts options{};
  options.sz = sizeof(options);
  options.bpf_cookie = cookie;
  bpf_link* link = bpf_program__attach_perf_event_opts(program, event.get(), &options);
  if (link == nullptr) return fail_errno("attach");
  static_cast<void>(event.release());  // the link's now
  return Link{link};
}

Status attach_one_by_one(const bpf_program* program, Functions functions, FunctionLinks& out) {
  const std::string text = TRY(read_file(kKprobeType));
  const auto type = parse_number<u32>(trim(text));
  if (!type) return fail(fmt::format("{} has no number", kKprobeType));
  for (std::size_t i = 0; i < functions.addresses.size(); i++) {
    auto link = attach_kprobe(program, *type, functions.addresses[i], functions.cookies[i]);
    if (link)
      out.links.push_back(std::move(*link));
    else
      out.refused++;
  }
  return {};
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

bool is_for_many(const bpf_program* program) {
  const std::string_view section = bpf_program__section_name(program);
  return section == "kprobe" || section == "kretprobe" || section == "kprobe.multi" ||
         section == "kretprobe.multi";
}

void set_functions(bpf_object* object, const std::vector<u64>& addresses) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (is_for_many(program)) functions_of_programs()[program] = addresses;
  }
}

Result<FunctionLinks> attach_to_functions(const bpf_program* program) {
  const std::vector<u64>& addresses = functions_of_programs()[program];
  std::vector<u64> cookies(addresses.size());
  std::iota(cookies.begin(), cookies.end(), u64{0});
  FunctionLinks out;
  const Functions functions{addresses, cookies};
  if (std::string_view{bpf_program__section_name(program)}.ends_with(".multi"))
    attach_multi(program, functions, out);
  else
    TRY(attach_one_by_one(program, functions, out));
  if (out.links.empty())
    return fail(fmt::format("none of {} can be hooked", counted(addresses.size(), "function")));
  return out;
}

}  // namespace wick
