#include "kernel/bpf/bpf_object.h"

#include <bpf/btf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "kernel/load_error.h"

namespace wick {

Result<BpfObject> BpfObject::open(std::span<const std::byte> elf, const char* name) {
  return open(elf, [&](const bpf_object_open_opts& options) -> Opened {
    bpf_object_open_opts named = options;
    named.object_name = name;
    bpf_object* object = bpf_object__open_mem(elf.data(), elf.size(), &named);
    if (object == nullptr) return {};
    return {std::shared_ptr<void>(
                object, [](void* it) { bpf_object__close(static_cast<bpf_object*>(it)); }),
            object};
  });
}

Result<BpfObject> BpfObject::open(std::span<const std::byte> elf, const Open& open) {
  silence_libbpf();
  TypedPrograms::register_sections();
  BpfObject object = TRY(open_with(open, SlimBtf::reserve()));
  if (object.btf_.path.empty()) return object;
  // Now it is known which types its programs are for, and one look at the kernel's finds all.
  if (object.btf_.fill(elf, object.types_->ids())) return object;
  return open_with(open, {});
}

Result<BpfObject> BpfObject::open_with(const Open& open, SlimBtf btf) {
  bpf_object_open_opts options{};
  options.sz = sizeof(options);
  if (!btf.path.empty()) options.btf_custom_path = btf.path.c_str();
  auto types = std::make_unique<TypedPrograms>();
  const TypedPrograms::Scope scope{*types};
  Opened opened = open(options);
  if (opened.object == nullptr) return fail_errno("open BPF object");
  return BpfObject{std::move(opened), std::move(btf), std::move(types)};
}

BpfObject::BpfObject(Opened opened, SlimBtf btf, std::unique_ptr<TypedPrograms> types)
    : owner_(std::move(opened.owner)),
      object_(opened.object),
      btf_(std::move(btf)),
      types_(std::move(types)) {
  index_variables();
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_) {
    auto probe = probe_of_section(bpf_program__name(program), bpf_program__section_name(program));
    if (probe) probes_.push_back(std::move(*probe));
  }
}

// By the sections of variables in the object's own BTF: a few hundred types, some microseconds.
void BpfObject::index_variables() {
  const btf* types = bpf_object__btf(object_);
  if (types == nullptr) return;
  for (u32 id = 1; id < btf__type_cnt(types); id++) {
    const btf_type* section = btf__type_by_id(types, id);
    if (!btf_is_datasec(section)) continue;
    const bpf_map* map =
        bpf_object__find_map_by_name(object_, btf__name_by_offset(types, section->name_off));
    std::size_t size = 0;
    auto* memory = map == nullptr ? nullptr
                                  : static_cast<std::byte*>(const_cast<void*>(
                                        bpf_map__initial_value(const_cast<bpf_map*>(map), &size)));
    if (memory == nullptr) continue;
    for (const btf_var_secinfo& info :
         std::span(btf_var_secinfos(section), std::size_t{btf_vlen(section)})) {
      const btf_type* variable = btf__type_by_id(types, info.type);
      if (variable == nullptr || info.offset > size || info.size > size - info.offset) continue;
      variables_.emplace(btf__name_by_offset(types, variable->name_off),
                         Variable{memory + info.offset, info.size});
    }
  }
}

std::span<std::byte> BpfObject::variable_bytes(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return {};
  return {found->second.at, found->second.size};
}

std::unexpected<Error> BpfObject::no_variable(std::string_view name, std::size_t size) const {
  const std::size_t has = variable_bytes(name).size();
  if (has == 0) return fail(fmt::format("this BPF object has no variable {}", name));
  return fail(fmt::format("the BPF object's {} has {} bytes, not {}", name, has, size));
}

std::unexpected<Error> BpfObject::already_loaded(std::string_view name) {
  return fail(fmt::format("{} of a BPF object that is loaded is constant", name));
}

bpf_map* BpfObject::find_map(const char* name) const {
  return bpf_object__find_map_by_name(object_, name);
}

bpf_program* BpfObject::find_program(const char* name) const {
  return bpf_object__find_program_by_name(object_, name);
}

Result<bpf_map*> BpfObject::map(const char* name) const {
  if (bpf_map* found = find_map(name)) return found;
  return fail(fmt::format("this BPF object has no map {}", name));
}

Result<bpf_program*> BpfObject::program(const char* name) const {
  if (bpf_program* found = find_program(name)) return found;
  return fail(fmt::format("this BPF object has no program {}", name));
}

ProbeSpec* BpfObject::probe(std::string_view program) {
  const auto found = std::ranges::find(probes_, program, &ProbeSpec::program);
  return found == probes_.end() ? nullptr : &*found;
}

ProbeSpec* BpfObject::probe(const bpf_program* program) {
  return probe(std::string_view{bpf_program__name(program)});
}

void BpfObject::set_functions(std::span<const u64> addresses) {
  for (ProbeSpec& probe : probes_) {
    if (!probe.is_for_many()) continue;
    probe.places.clear();
    for (std::size_t i = 0; i < addresses.size(); i++) probe.places.push_back({addresses[i], i});
  }
}

u32 BpfObject::type_id(const ProbeSpec& probe) {
  // Targets may have changed since the open: one pass over the kernel's types finds all of them.
  for (const ProbeSpec& other : probes_) types_->want(other.type_name());
  return types_->id_of(probe.type_name());
}

// What of its probes is part of a program.
void BpfObject::prepare_probes() {
  for (const ProbeSpec& probe : probes_) {
    if (const std::string type = probe.type_name(); !type.empty())
      types_->set_type(probe.program, type);
    bpf_program* program = find_program(probe.program.c_str());
    if (!probe.is_uprobe() || program == nullptr || !bpf_program__autoload(program)) continue;
    std::vector<const ProbeSpec*> all;
    for (const ProbeSpec& other : probes_)
      if (other.program == probe.program) all.push_back(&other);
    prepare_uprobes(program, all);
  }
}

Status BpfObject::load() {
  prepare_probes();
  const TypedPrograms::Scope scope{*types_};
  const int code = bpf_object__load(object_);
  btf_ = {};  // read by now
  if (code != 0) return bpf_load_error(-code);
  is_loaded_ = true;
  return map_variables();
}

// From here on the variables' memory is the kernel's, at the same addresses.
Status BpfObject::map_variables() {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object_) {
    std::size_t size = 0;
    const void* at = bpf_map__initial_value(map, &size);
    if (at == nullptr || bpf_map__fd(map) < 0 || (bpf_map__map_flags(map) & BPF_F_MMAPABLE) == 0)
      continue;
    const bool constant = (bpf_map__map_flags(map) & BPF_F_RDONLY_PROG) != 0;
    if (::mmap(const_cast<void*>(at), size, constant ? PROT_READ : PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, bpf_map__fd(map), 0) == MAP_FAILED)
      return fail_errno("map the variables of the BPF object");
  }
  return {};
}

Status BpfObject::attach_all(Attachments& into) const {
  for (const ProbeSpec& probe : probes_) {
    const bpf_program* loaded = TRY(program(probe.program.c_str()));
    if (bpf_program__autoload(loaded)) TRY(into.attach(loaded, probe));
  }
  return {};
}

Status BpfObject::attach(const bpf_program* program, Attachments& into,
                         std::string_view what) const {
  for (const ProbeSpec& probe : probes_)
    if (probe.program == bpf_program__name(program)) TRY(into.attach(program, probe, what));
  return {};
}

}  // namespace wick
