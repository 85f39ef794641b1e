#include "views/function_table.h"

#include <array>
#include <unordered_map>

#include "views/ids_hash.h"

namespace wick {
namespace {

using FunctionKey = std::array<u32, 4>;

}  // namespace

FunctionTable::FunctionTable(const Profile& profile) {
  std::unordered_map<FunctionKey, u32, IdsHash> known;
  of_frame_.reserve(profile.frames().size());
  for (const Frame& frame : profile.frames()) {
    const StringId path = profile.mapping(frame.mapping).path;
    const FunctionKey key{frame.name.value(), frame.file.value(), path.value(),
                          static_cast<u32>(frame.kind)};
    const auto [entry, is_new] = known.try_emplace(key, static_cast<u32>(functions_.size()));
    if (is_new)
      functions_.push_back({.name = frame.name,
                            .file = frame.file,
                            .path = path,
                            .kind = frame.kind,
                            .line = frame.line});
    else if (Function& function = functions_[entry->second]; function.line != frame.line)
      function.line = 0;
    of_frame_.push_back(entry->second);
  }
}

}  // namespace wick
