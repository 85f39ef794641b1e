#include "kernel/typed_programs.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/fd.h"
#include "kernel/btf/btf_file.h"

namespace wick {
namespace {

// How a section becomes a program: `prefix` + what stands behind the slash is the name of the BTF
// type the kernel takes the arguments from.
struct Section {
  const char* name;  // libbpf's form: + is "/something"
  std::string_view prefix;
  u32 kind;
  bpf_attach_type attach_type;
  u32 flags;
};
constexpr std::array kSections{
    Section{"wick_tp+", "btf_trace_", BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP, 0},
    Section{"wick_iter+", "bpf_iter_", BTF_KIND_FUNC, BPF_TRACE_ITER, 0},
    Section{"wick_iter.s+", "bpf_iter_", BTF_KIND_FUNC, BPF_TRACE_ITER, BPF_F_SLEEPABLE},
    Section{"wick_fentry+", "", BTF_KIND_FUNC, BPF_TRACE_FENTRY, 0},
    Section{"wick_fexit+", "", BTF_KIND_FUNC, BPF_TRACE_FEXIT, 0},
};

// Functions that a program is for whatever its section says.
std::map<const bpf_program*, std::string>& other_functions() {
  static std::map<const bpf_program*, std::string> functions;
  return functions;
}

std::string type_name(const bpf_program* program, const Section& section) {
  return std::string(section.prefix) + function_of(program);
}

// What was asked for after the object was opened, or where it has no slim BTF.
Status find_type_ids() {
  std::set<std::string> wanted;
  for (const auto& [name, id] : type_ids())
    if (!id) wanted.insert(name);
  BtfFile kernel = TRY(BtfFile::open(kKernelBtf));
  const BtfFile::Names names = TRY(kernel.find_names(wanted));
  const auto ids = TRY(kernel.index_types(names, is_attached_by));
  for (const std::string& name : wanted) type_ids()[name] = 0;
  for (const u32 id : ids) type_ids()[names.at(TRY(kernel.type(id)).head.name_off)] = id;
  return {};
}

// 0: there is none, or the BTF cannot be read.
u32 type_id(const std::string& name) {
  std::optional<u32>& id = type_ids().try_emplace(name).first->second;
  if (!id && !find_type_ids()) id = 0;
  return *id;
}

int remember_name(bpf_program* program, long index) {
  other_functions().erase(program);  // of an object that is gone
  type_ids().try_emplace(type_name(program, kSections[static_cast<std::size_t>(index)]));
  return 0;
}

// Only now is it a tracing program: had it been one before, libbpf would have read the BTF.
int give_type(bpf_program* program, bpf_prog_load_opts* options, long index) {
  const Section& section = kSections[static_cast<std::size_t>(index)];
  options->attach_btf_id = type_id(type_name(program, section));
  if (options->attach_btf_id == 0) return -ESRCH;
  options->expected_attach_type = section.attach_type;
  options->prog_flags |= section.flags;
  if (const int code = bpf_program__set_type(program, BPF_PROG_TYPE_TRACING); code != 0)
    return code;
  return bpf_program__set_expected_attach_type(program, section.attach_type);
}

}  // namespace

// libbpf calls back with nothing but a program, so there is one for the process; commands run one
// at a time.
TypeIds& type_ids() {
  static TypeIds ids;
  return ids;
}

void know_typed_programs() {
  static const bool known = [] {
    for (std::size_t i = 0; i < kSections.size(); i++) {
      libbpf_prog_handler_opts options{};
      options.sz = sizeof(options);
      options.cookie = static_cast<long>(i);
      options.prog_setup_fn = remember_name;
      options.prog_prepare_load_fn = give_type;
      libbpf_register_prog_handler(kSections[i].name, BPF_PROG_TYPE_RAW_TRACEPOINT, {}, &options);
    }
    return true;
  }();
  static_cast<void>(known);
}

std::string function_of(const bpf_program* program) {
  const auto other = other_functions().find(program);
  if (other != other_functions().end()) return other->second;
  const std::string_view text = bpf_program__section_name(program);
  return std::string(text.substr(text.find('/') + 1));
}

void set_function(const bpf_program* program, const std::string& function) {
  other_functions()[program] = function;
  type_ids().try_emplace(function);
}

u32 function_type_id(const bpf_program* program) {
  std::string name = function_of(program);
  if (std::string_view{bpf_program__section_name(program)}.starts_with("wick_tp/"))
    name.insert(0, "btf_trace_");
  return type_id(name);
}

Result<Link> attach_program(const bpf_program* program, const char* what) {
  const std::string_view section = bpf_program__section_name(program);
  bpf_link* link = nullptr;
  if (bpf_program__type(program) == BPF_PROG_TYPE_TRACING)
    link = bpf_program__attach_trace(program);
  else if (section.starts_with("kprobe/") || section.starts_with("kretprobe/"))
    link = bpf_program__attach_kprobe(program, section.starts_with("kret"),
                                      function_of(program).c_str());
  else
    link = bpf_program__attach(program);
  if (link == nullptr) return fail_errno(what);
  return Link{link};
}

Status run_iterator(const bpf_program* program, const char* what) {
  const Link link{bpf_program__attach_iter(program, nullptr)};
  if (!link) return fail_errno(what);
  const Fd iterator{bpf_iter_create(bpf_link__fd(link.get()))};
  if (!iterator.valid()) return fail_errno(what);
  std::array<char, 4096> nothing;
  while (true) {
    const ssize_t got = ::read(iterator.get(), nothing.data(), nothing.size());
    if (got == 0) return {};
    if (got < 0 && errno != EAGAIN && errno != EINTR) return fail_errno(what);
  }
}

}  // namespace wick
