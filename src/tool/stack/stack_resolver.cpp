#include "tool/stack/stack_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "symbols/frame_name.h"
#include "symbols/kernel_symbols.h"
#include "tool/stack/bounded_name.h"
#include "tool/stack/stop_reasons.h"

namespace wick {
namespace {

constexpr std::string_view kVdso = "[vdso]";

}  // namespace

StackResolver::StackResolver(const StackWindow& window, const NameSources& names, Profile& profile,
                             ResolveOptions options)
    : window_(window),
      processes_(names.processes),
      runtimes_(names.runtimes),
      profile_(profile),
      options_(std::move(options)) {
  if (!options_.budget) options_.budget = std::make_shared<RunBudget>();
  if (!options_.worker)
    options_.worker = std::make_shared<FileWorker>(FileWorkerOptions{.budget = options_.budget});
  const auto note = [&](std::string_view text) {
    return profile_.add_frame({.name = profile_.strings.intern(text), .kind = FrameKind::note});
  };
  missed_user_ = note("[missed user stack]");
  missed_kernel_ = note("[missed kernel stack]");
  cut_kernel_ = note(fmt::format("[stopped: {}]", kStopReasons[WICK_STOP_CUT].frame));
}

void StackResolver::resolve() {
  sort_nodes();
  name_kernel();
  name_jit();
  name_files();
}

void StackResolver::mark_entries() {
  const StackTree& tree = window_.tree();
  for (std::vector<bool>* marks : {&is_kernel_, &is_image_, &is_leaf_, &is_broken_})
    marks->resize(tree.size());
  for (const StackEntry& entry : window_.entries()) {
    for (u32 at = entry.kernel_leaf; at != StackTree::kRoot && !is_kernel_[at];
         at = tree.parent(at)) {
      is_kernel_[at] = true;
      kernel_nodes_.push_back(at);
    }
    u32 at = entry.user_leaf;
    if (at == StackTree::kRoot) continue;
    is_leaf_[at] = true;
    while (tree.parent(at) != StackTree::kRoot) at = tree.parent(at);
    is_image_[at] = true;
    images_[at] = entry.image;
  }
}

// Parents come before their children, so one pass forwards knows whose every node is.
void StackResolver::sort_nodes() {
  const StackTree& tree = window_.tree();
  frames_.resize(tree.size());
  images_.resize(tree.size());
  mark_entries();
  std::unordered_map<ImageId, bool> known;  // asked once an image: it takes a while
  const auto knows_code = [&](ImageId image) {
    const auto [at, is_new] = known.try_emplace(image);
    if (is_new) at->second = processes_.knows_code(image);
    return at->second;
  };
  for (u32 node = 1; node < tree.size(); node++) {
    if (is_kernel_[node] || is_image_[node]) continue;
    images_[node] = images_[tree.parent(node)];
    if (RuntimeWatch::is_frame(tree.address(node))) {
      name_interpreted(node);
      continue;
    }
    const auto place =
        processes_.find(images_[node], tree.address(node), window_.time_of_node(node));
    // No code is there, in a process whose code we know.
    is_broken_[node] = !place && !is_leaf_[node] && knows_code(images_[node]);
    const Pending pending{.file = place ? place->file : FileId{},
                          .file_offset = place ? place->file_offset : 0,
                          .node = node};
    (is_jit_memory(processes_.file(pending.file).path) ? jit_ : pending_).push_back(pending);
  }
}

// A function of a runtime, like compiled code, but for its address.
void StackResolver::name_interpreted(u32 node) {
  const u64 word = window_.tree().address(node);
  const RuntimeFunction& function = runtimes_->function(word);
  frames_[node] = profile_.add_frame({.name = intern_bounded(profile_, function.name),
                                      .file = intern_bounded(profile_, function.file),
                                      .line = RuntimeWatch::line(word),
                                      .kind = FrameKind::jit,
                                      .named = RuntimeWatch::line(word) != 0});
}

void StackResolver::name_jit() {
  const auto image_of = [&](const Pending& p) { return images_[p.node]; };
  std::ranges::stable_sort(jit_, {}, image_of);
  for (auto begin = jit_.cbegin(); begin != jit_.cend();) {
    const auto end = std::find_if(
        begin, jit_.cend(), [&](const Pending& p) { return image_of(p) != image_of(*begin); });
    report_.interrupted = report_.interrupted || (options_.stop && options_.stop());
    if (report_.interrupted)
      pending_.insert(pending_.end(), begin, end);
    else
      name_jit({begin, end});
    begin = end;
  }
}

// No call can be looked for in code that is gone: what has a name is not doubted.
void StackResolver::name_jit(std::span<const Pending> of_one_image) {
  std::vector<CodeMoment> moments;
  moments.reserve(of_one_image.size());
  for (const Pending& p : of_one_image)
    moments.push_back({window_.tree().address(p.node), window_.time_of_node(p.node)});
  const auto names = processes_.jit().names(images_[of_one_image.front().node], moments, terms());
  for (std::size_t i = 0; i < names.size(); i++) {
    const u32 node = of_one_image[i].node;
    if (names[i].name.empty()) {
      pending_.push_back(of_one_image[i]);
      continue;
    }
    is_broken_[node] = false;
    frames_[node] = profile_.add_frame({.name = intern_bounded(profile_, names[i].name),
                                        .file = intern_bounded(profile_, names[i].file),
                                        .line = names[i].line,
                                        .kind = FrameKind::jit,
                                        .address = moments[i].address});
  }
}

void StackResolver::set_frame(u32 node, StringId name, bool named, MappingId mapping,
                              const NamesAnswer* answer, const SourceSpot& spot) {
  const std::string_view file =
      answer == nullptr ? std::string_view{} : answer->texts.at(spot.file);
  frames_[node] =
      profile_.add_frame({.name = name,
                          .mapping = mapping,
                          .file = intern_bounded(profile_, file),
                          .line = spot.line,
                          .kind = is_kernel_[node] ? FrameKind::kernel : FrameKind::user,
                          .named = named,
                          .address = window_.tree().address(node)});
}

void StackResolver::name_kernel() {
  if (kernel_nodes_.empty()) return;
  const StackTree& tree = window_.tree();
  std::vector<u64> wanted;
  wanted.reserve(kernel_nodes_.size());
  for (const u32 node : kernel_nodes_) wanted.push_back(tree.address(node));
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  const auto read = resolve_kernel_symbols(wanted);
  report_.kernel_hidden = !read || read->hidden;
  const MappingId kernel =
      profile_.add_mapping({.path = profile_.strings.intern("[kernel.kallsyms]")});
  for (const u32 node : kernel_nodes_) {
    const auto at = std::ranges::lower_bound(wanted, tree.address(node)) - wanted.begin();
    const KernelSymbol* symbol = read ? &read->symbols[static_cast<std::size_t>(at)] : nullptr;
    const bool found = symbol != nullptr && symbol->found();
    StringId name = profile_.strings.intern(found ? symbol->name
                                                  : unknown_kernel_frame_name(tree.address(node)));
    if (found) name = with_offset(name, symbol->offset);
    const bool in_module = found && !symbol->module.empty();
    set_frame(node, name, found,
              in_module ? profile_.add_mapping(
                              {.path = profile_.strings.intern("[" + symbol->module + "]")})
                        : kernel);
  }
}

void StackResolver::name_files() {
  std::ranges::sort(pending_, [](const Pending& a, const Pending& b) {
    return a.file != b.file ? a.file < b.file : a.file_offset < b.file_offset;
  });
  std::size_t done = 0;
  for (auto begin = pending_.cbegin(); begin != pending_.cend();) {
    const auto end = std::find_if(begin, pending_.cend(),
                                  [&](const Pending& p) { return p.file != begin->file; });
    report_.interrupted = report_.interrupted || (options_.stop && options_.stop());
    if (options_.progress) options_.progress(done++, processes_.file_count());
    name_file({begin, end});
    begin = end;
  }
}

MappingId StackResolver::mapping_of(u32 node, StringId build_id) {
  const auto place =
      processes_.find(images_[node], window_.tree().address(node), window_.time_of_node(node));
  if (!place) return {};
  return profile_.add_mapping({.path = profile_.strings.intern(processes_.file(place->file).path),
                               .build_id = build_id,
                               .start = place->map_start,
                               .limit = place->map_end,
                               .file_offset = place->map_offset});
}

void StackResolver::name_unknown(std::span<const Pending> pending) {
  for (const Pending& p : pending) {
    const std::string& path = processes_.file(p.file).path;
    set_frame(p.node, profile_.strings.intern(unknown_frame_name(path, p.file_offset)), false,
              mapping_of(p.node, {}));
  }
}

// All addresses of one file, sorted.
void StackResolver::name_file(std::span<const Pending> pending) {
  const FileId id = pending.front().file;
  if (id == FileId{} || report_.interrupted) return name_unknown(pending);
  const CodeFile& file = processes_.file(id);
  const OpenFile* open = processes_.open_file(id);
  if (file.path != kVdso && open == nullptr) {
    report_.unreadable_files++;
    return name_unknown(pending);
  }
  NamesQuestion question{.path = file.path, .lines = options_.lines};
  question.places.reserve(pending.size());
  for (const Pending& p : pending) question.places.push_back({p.file_offset, !is_leaf_[p.node]});
  const auto answer = open == nullptr
                          ? options_.worker->names(Fd{}, question, {}, options_.stop)
                          : options_.worker->names(open->fd, question, open->root, options_.stop);
  if (!answer || !answer->readable) {
    if (answer) report_.unreadable_files++;
    return name_unknown(pending);
  }
  if (options_.lines) {
    report_.lines_files++;
    report_.lines_found += answer->lines_found ? 1 : 0;
    report_.lines_damaged += answer->lines_damaged ? 1 : 0;
    report_.lines_without_dwo += answer->missing_split_units;
  }
  const StringId build_id = profile_.strings.intern(answer->build_id);
  for (std::size_t i = 0; i < pending.size(); i++)
    name_place(pending[i], *answer, answer->places[i], mapping_of(pending[i].node, build_id));
}

void StackResolver::name_place(const Pending& pending, const NamesAnswer& answer,
                               const NamedPlace& place, MappingId mapping) {
  const u32 node = pending.node;
  if (place.is_broken) is_broken_[node] = true;
  for (u32 i = 0; i < place.inlined_count; i++) {
    const SourceSpot& call = answer.inlined[place.first_inlined + i];
    inlined_[node].push_back(
        profile_.add_frame({.name = intern_bounded(profile_, answer.texts.at(call.function)),
                            .mapping = mapping,
                            .file = intern_bounded(profile_, answer.texts.at(call.file)),
                            .line = call.line,
                            .kind = FrameKind::inlined,
                            .address = window_.tree().address(node)}));
  }
  const bool by_symbol = place.name != 0;
  const bool by_lines = !by_symbol && place.spot.function != 0;
  StringId name;
  if (by_symbol)
    name = with_offset(intern_bounded(profile_, answer.texts.at(place.name)),
                       place.vaddr - place.function_start);
  else if (by_lines)
    name = intern_bounded(profile_, answer.texts.at(place.spot.function));
  else
    name = intern_bounded(profile_,
                          unknown_frame_name(processes_.file(pending.file).path, place.vaddr));
  set_frame(node, name, by_symbol || by_lines, mapping, &answer, place.spot);
}

// A stack that did not reach its root says so, instead of passing its last frame off as one.
FrameId StackResolver::stop_frame(const StackEntry& entry, std::string_view reason, u32 root) {
  std::string text = "[stopped: " + std::string(reason);
  if (reason.ends_with(' ')) {
    const auto place =
        processes_.find(entry.image, window_.tree().address(root), window_.time_of_node(root));
    const std::string path = place ? processes_.file(place->file).path : "";
    text += path.empty() ? "anonymous memory" : path.substr(path.rfind('/') + 1);
  }
  return profile_.add_frame({.name = profile_.strings.intern(text + "]"), .kind = FrameKind::note});
}

void StackResolver::add_frames(const StackEntry& entry) {
  const StackTree& tree = window_.tree();
  const auto missed = [&](wick_loss cause) { return (entry.missed & (1U << cause)) != 0; };
  if (missed(WICK_LOSS_KERNEL_STACK)) stack_.push_back(missed_kernel_);
  bool at_hook = options_.trim_hooks;
  for (u32 at = entry.kernel_leaf; at != StackTree::kRoot; at = tree.parent(at)) {
    at_hook = at_hook && is_hook(frames_[at]);
    if (!at_hook) stack_.push_back(frames_[at]);
  }
  if (missed(WICK_LOSS_CUT_KERNEL)) stack_.push_back(cut_kernel_);
  if (missed(WICK_LOSS_USER_STACK)) stack_.push_back(missed_user_);
  u32 root = StackTree::kRoot;
  const u32 stop = std::min<u32>(entry.stop, WICK_STOPS - 1);
  std::string_view reason = kStopReasons[stop].frame;
  for (u32 at = entry.user_leaf; at != StackTree::kRoot && !is_image_[at]; at = tree.parent(at)) {
    if (is_broken_[at] && !entry.by_tables) {
      report_.broken_samples += entry.count;
      // Where it seemed to lead, it did not come.
      if (stop == WICK_STOP_ROOT) report_.broken_roots += entry.count;
      reason = kBrokenWalk;
      break;
    }
    if (const auto calls = inlined_.find(at); calls != inlined_.end())
      stack_.insert(stack_.end(), calls->second.begin(), calls->second.end());
    stack_.push_back(frames_[at]);
    root = at;
  }
  if (!reason.empty() && root != StackTree::kRoot)
    stack_.push_back(stop_frame(entry, reason, root));
}

Sample StackResolver::sample(const StackEntry& entry) {
  stack_.clear();
  const bool is_pair = entry.target != StackEntry::kNoEntry;
  const StackEntry& own = is_pair ? window_.entries()[entry.target] : entry;
  if (is_pair && options_.by_waker) return waker_sample(own, window_.entries()[entry.waker]);
  if (is_pair) add_waker(window_.entries()[entry.waker]);
  add_frames(own);
  return {.stack = profile_.add_stack(stack_),
          .pid = processes_.info(own.image).pid,
          .tid = own.tid,
          .comm = profile_.strings.intern(window_.strings().get(own.comm)),
          .labels = {}};
}

ResolveReport StackResolver::report() const {
  ResolveReport out = report_;
  std::vector<bool> seen(profile_.frames().size());
  for (std::size_t i = 0; i < profile_.stack_count(); i++) {
    for (const FrameId id : profile_.stack(StackId{i})) {
      if (seen[id.index()]) continue;
      seen[id.index()] = true;
      if (!profile_.frame(id).named) out.unnamed_frames++;
    }
  }
  return out;
}

}  // namespace wick
