// What the kernel would send: records as bytes, and owners of stacks that nobody runs.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "tool/stack/stack_intake.h"

namespace wick {

template <class Record>
std::vector<std::byte> bytes_of_record(const Record& record, std::size_t size = sizeof(Record)) {
  std::vector<std::byte> out(size);
  std::memcpy(out.data(), &record, size);
  return out;
}

struct MadeUpStack {
  wick_stack_key key{.task = 1, .stack = 1};
  u32 pid = 7;
  u64 start_ns = 70;
  std::vector<u64> kernel;
  std::vector<u64> user;
  u32 stop = WICK_STOP_ROOT;
  u32 by_pointer = 0;
  u32 missed = 0;
  u32 tag = 0;
  u64 time_ns = 1000;
  std::string_view comm = "some";

  [[nodiscard]] std::vector<std::byte> bytes() const {
    const auto record = std::make_unique<wick_stack_record>();
    record->type = WICK_RECORD_STACK;
    record->key = {.task = wick_untagged(key.task, tag), .stack = key.stack};
    record->tgid = pid;
    record->start_ns = start_ns;
    record->time_ns = time_ns;
    record->kernel_depth = static_cast<u32>(kernel.size());
    record->user_depth = static_cast<u32>(user.size());
    record->stop = stop;
    record->by_pointer = by_pointer;
    record->missed = missed;
    record->tag = tag;
    comm.copy(record->comm, sizeof(record->comm));
    std::vector<u64> frames = kernel;
    frames.insert(frames.end(), user.begin(), user.end());
    std::memcpy(static_cast<void*>(record->frames), frames.data(), frames.size() * sizeof(u64));
    return bytes_of_record(*record,
                           offsetof(wick_stack_record, frames) + frames.size() * sizeof(u64));
  }
};

// A piece of a stack whose walk is finished later; `index`: which of them.
inline std::vector<std::byte> raw_piece_bytes(wick_stack_key key, u32 index, u32 words,
                                              u64 ip = 0x400000) {
  const auto piece = std::make_unique<wick_raw_piece>();
  piece->type = WICK_RECORD_RAW_PIECE;
  piece->exact = 1;
  piece->key = key;
  piece->time_ns = 5;
  piece->ip = ip;
  piece->sp = 0x7000;
  piece->words = words;
  piece->at = 0x7000 + index * sizeof(piece->stack);
  for (u32 i = 0; i < words; i++) piece->stack[i] = index * WICK_RAW_WORDS + i;
  return bytes_of_record(*piece, offsetof(wick_raw_piece, stack) + words * sizeof(u64));
}

class MadeUpOwners : public StackOwners {
 public:
  ImageId image(const ImageInfo& info, Sighting /*sighting*/) override {
    for (std::size_t i = 0; i < images.size(); i++)
      if (images[i] == info) return ImageId{i};
    images.push_back(info);
    return ImageId{images.size() - 1};
  }
  [[nodiscard]] const ImageInfo& info(ImageId image) const override {
    return images.at(image.index());
  }
  void touch(ImageId /*image*/, u64 address, u64 /*time_ns*/) override {
    touched.push_back(address);
  }
  void walk_found_no_list(u32 pid) override { without_list.push_back(pid); }
  // Once there is a table: the leaf's return address is the sixth word, and there is the root.
  RowAnswer find_row(ImageId /*image*/, u64 pc, u64 /*time_ns*/) override {
    if (tables == 0) return {.kind = RowAnswer::Kind::waiting};
    RowAnswer answer{.kind = RowAnswer::Kind::row};
    if (pc == 0x400000) answer.row = {.pc = 0, .cfa = 6, .bp = 0, .rule = WICK_UNWIND_SP};
    return answer;
  }
  [[nodiscard]] u64 tables_taken() const override { return tables; }

  std::vector<ImageInfo> images;
  std::vector<u64> touched;
  std::vector<u32> without_list;
  u64 tables = 0;
};

}  // namespace wick
