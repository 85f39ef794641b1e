#include "kernel/typed_tracepoint.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "kernel/btf_file.h"
#include "kernel/slim_btf.h"

namespace wick {
namespace {

constexpr std::string_view kSection = "typed_tp/";
// What the kernel calls the type of a raw tracepoint.
constexpr std::string_view kTypePrefix = "btf_trace_";

bool is_typed(const bpf_program* program) {
  return std::string_view{bpf_program__section_name(program)}.starts_with(kSection);
}

std::string type_name(const bpf_program* program) {
  const std::string_view section = bpf_program__section_name(program);
  return std::string{kTypePrefix} + std::string{section.substr(kSection.size())};
}

// libbpf hands its callbacks no context: what find_typed_tracepoints() found waits here.
std::map<std::string, u32>& found_types() {
  static std::map<std::string, u32> types;
  return types;
}

// The program is only now called what it is: a tracing program makes libbpf read the whole BTF
// before it comes here.
int prepare(bpf_program* program, bpf_prog_load_opts* options, long /*cookie*/) {
  const auto found = found_types().find(type_name(program));
  if (found == found_types().end()) return -ENOENT;
  options->attach_btf_id = found->second;
  options->expected_attach_type = BPF_TRACE_RAW_TP;
  if (const int code = bpf_program__set_expected_attach_type(program, BPF_TRACE_RAW_TP); code != 0)
    return code;
  return bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
}

Status find_types(const std::set<std::string>& wanted) {
  BtfFile kernel = TRY(BtfFile::open(kKernelBtf));
  const BtfFile::Names names = TRY(kernel.find_names(wanted));
  const auto is_wanted = [&](const btf_type& type) {
    return btf_is_typedef(&type) && names.contains(type.name_off);
  };
  for (const u32 id : TRY(kernel.index_types(is_wanted)))
    found_types()[names.at(TRY(kernel.type(id)).head.name_off)] = id;
  return {};
}

}  // namespace

Status register_typed_tracepoints() {
  static bool done = false;
  if (done) return {};
  libbpf_prog_handler_opts options{};
  options.sz = sizeof(options);
  options.prog_prepare_load_fn = prepare;
  const int code = libbpf_register_prog_handler("typed_tp+", BPF_PROG_TYPE_RAW_TRACEPOINT,
                                                static_cast<bpf_attach_type>(0), &options);
  if (code < 0) return fail_errno("register typed tracepoints", -code);
  done = true;
  return {};
}

Status find_typed_tracepoints(bpf_object* object) {
  std::set<std::string> wanted;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (is_typed(program) && bpf_program__autoload(program)) wanted.insert(type_name(program));
  }
  std::erase_if(wanted, [](const std::string& name) { return found_types().contains(name); });
  if (wanted.empty()) return {};
  TRY(find_types(wanted));
  for (const std::string& name : wanted)
    if (!found_types().contains(name))
      return fail(fmt::format("this kernel has no tracepoint {}", name.substr(kTypePrefix.size())));
  return {};
}

Result<bpf_link*> attach_by_section(bpf_program* program) {
  bpf_link* link =
      is_typed(program) ? bpf_program__attach_trace(program) : bpf_program__attach(program);
  if (link == nullptr) return fail_errno(fmt::format("attach {}", bpf_program__name(program)));
  return link;
}

}  // namespace wick
