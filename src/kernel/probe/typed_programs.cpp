#include "kernel/probe/typed_programs.h"

#include <bpf/bpf.h>

#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <utility>

#include "base/result.h"
#include "kernel/btf/btf_file.h"
#include "kernel/probe/probe_spec.h"

namespace wick {
namespace {

struct Section {
  const char* name;  // libbpf's form: + is "/something"
  bpf_attach_type attach_type;
  u32 flags;
};
constexpr std::array kSections{
    Section{"wick_tp+", BPF_TRACE_RAW_TP, 0},
    Section{"wick_iter+", BPF_TRACE_ITER, 0},
    Section{"wick_iter.s+", BPF_TRACE_ITER, BPF_F_SLEEPABLE},
    Section{"wick_fentry+", BPF_TRACE_FENTRY, 0},
    Section{"wick_fexit+", BPF_TRACE_FEXIT, 0},
};

// The object that is being opened or loaded on this thread.
thread_local TypedPrograms* current = nullptr;

// What was asked for after the object was opened, or where it has no slim BTF.
Status find_type_ids(TypeIds& all) {
  std::set<std::string> wanted;
  for (const auto& [name, id] : all)
    if (!id) wanted.insert(name);
  BtfFile kernel = TRY(BtfFile::open(kKernelBtf));
  const BtfFile::Names names = TRY(kernel.find_names(wanted));
  const auto ids = TRY(kernel.index_types(names, is_attached_by));
  for (const std::string& name : wanted) all[name] = 0;
  for (const u32 id : ids) all[names.at(TRY(kernel.type(id)).head.name_off)] = id;
  return {};
}

}  // namespace

void TypedPrograms::register_sections() {
  static const bool known = [] {
    for (std::size_t i = 0; i < kSections.size(); i++) {
      libbpf_prog_handler_opts options{};
      options.sz = sizeof(options);
      options.cookie = static_cast<long>(i);
      options.prog_setup_fn = on_open;
      options.prog_prepare_load_fn = on_load;
      libbpf_register_prog_handler(kSections[i].name, BPF_PROG_TYPE_RAW_TRACEPOINT, {}, &options);
    }
    return true;
  }();
  static_cast<void>(known);
}

void TypedPrograms::want(const std::string& type_name) {
  if (!type_name.empty()) ids_.try_emplace(type_name);
}

u32 TypedPrograms::id_of(const std::string& type_name) {
  std::optional<u32>& id = ids_.try_emplace(type_name).first->second;
  if (!id && !find_type_ids(ids_)) id = 0;
  return *id;
}

void TypedPrograms::set_type(const std::string& program, const std::string& type_name) {
  type_names_.insert_or_assign(program, type_name);
  ids_.try_emplace(type_name);
}

int TypedPrograms::on_open(bpf_program* program, long /*section*/) {
  if (current == nullptr) return -EINVAL;
  const char* name = bpf_program__name(program);
  if (const auto probe = probe_of_section(name, bpf_program__section_name(program)))
    current->set_type(name, probe->type_name());
  return 0;
}

// Only now is it a tracing program: had it been one before, libbpf would have read the BTF.
int TypedPrograms::on_load(bpf_program* program, bpf_prog_load_opts* options, long index) {
  const Section& section = kSections[static_cast<std::size_t>(index)];
  if (current == nullptr) return -EINVAL;
  const auto type = current->type_names_.find(std::string_view{bpf_program__name(program)});
  if (type == current->type_names_.end()) return -ESRCH;
  options->attach_btf_id = current->id_of(type->second);
  if (options->attach_btf_id == 0) return -ESRCH;
  options->expected_attach_type = section.attach_type;
  options->prog_flags |= section.flags;
  if (const int code = bpf_program__set_type(program, BPF_PROG_TYPE_TRACING); code != 0)
    return code;
  return bpf_program__set_expected_attach_type(program, section.attach_type);
}

TypedPrograms::Scope::Scope(TypedPrograms& programs) : outer_(std::exchange(current, &programs)) {}

TypedPrograms::Scope::~Scope() {
  current = outer_;
}

}  // namespace wick
