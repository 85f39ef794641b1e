#include "kernel/mapping_events.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace wick {
namespace {

// A record as the kernel writes it: header, body, {pid, tid, time}.
class Record {
 public:
  Record(u32 type, u16 misc = 0) : type_(type), misc_(misc) {}
  template <class T>
  Record& put(T value) {
    const auto* raw = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
    return *this;
  }
  Record& text(std::string_view words) {
    for (const char c : words) put(c);
    do put('\0');
    while (bytes_.size() % 8 != 0);
    return *this;
  }
  std::vector<std::byte> with_time(u64 time_ns) {
    put<u32>(0).put<u32>(0).put(time_ns);
    perf_event_header header{
        .type = type_, .misc = misc_, .size = static_cast<u16>(bytes_.size() + 8)};
    std::vector<std::byte> out(sizeof(header));
    std::memcpy(out.data(), &header, sizeof(header));
    out.insert(out.end(), bytes_.begin(), bytes_.end());
    return out;
  }

 private:
  u32 type_;
  u16 misc_;
  std::vector<std::byte> bytes_;
};

Record map_record(u32 protection) {
  Record record{PERF_RECORD_MMAP2};
  record.put<u32>(7).put<u32>(7).put<u64>(0x1000).put<u64>(0x2000).put<u64>(0x400);
  record.put<u32>(8).put<u32>(1).put<u64>(131).put<u64>(0).put<u32>(protection).put<u32>(0);
  return record.text("/usr/bin/true");
}

TEST(MappingEvents, ExecutableMappingIsRead) {
  MappingEvent event;
  u64 lost = 0;
  ASSERT_TRUE(parse_mapping_record(map_record(PROT_READ | PROT_EXEC).with_time(55), event, lost));
  EXPECT_EQ(event.kind, MappingEvent::Kind::map);
  EXPECT_EQ(event.pid, 7U);
  EXPECT_EQ(event.start, 0x1000U);
  EXPECT_EQ(event.end, 0x3000U);
  EXPECT_EQ(event.file_offset, 0x400U);
  EXPECT_EQ(event.inode, 131U);
  EXPECT_EQ(event.path, "/usr/bin/true");
  EXPECT_EQ(event.time_ns, 55U);
}

TEST(MappingEvents, DataMappingsDoNotMatter) {
  MappingEvent event;
  u64 lost = 0;
  EXPECT_FALSE(parse_mapping_record(map_record(PROT_READ).with_time(55), event, lost));
}

TEST(MappingEvents, OnlyANameGivenByExecIsAnExec) {
  MappingEvent event;
  u64 lost = 0;
  const auto comm = [](u16 misc) {
    Record record{PERF_RECORD_COMM, misc};
    return record.put<u32>(7).put<u32>(7).text("true").with_time(9);
  };
  EXPECT_FALSE(parse_mapping_record(comm(0), event, lost));
  ASSERT_TRUE(parse_mapping_record(comm(PERF_RECORD_MISC_COMM_EXEC), event, lost));
  EXPECT_EQ(event.kind, MappingEvent::Kind::exec);
}

TEST(MappingEvents, NewThreadIsNoFork) {
  MappingEvent event;
  u64 lost = 0;
  const auto fork = [](u32 pid, u32 parent, u32 tid) {
    Record record{PERF_RECORD_FORK};
    return record.put(pid).put(parent).put(tid).put(parent).put<u64>(9).with_time(9);
  };
  EXPECT_FALSE(parse_mapping_record(fork(7, 7, 8), event, lost));
  ASSERT_TRUE(parse_mapping_record(fork(9, 7, 9), event, lost));
  EXPECT_EQ(event.parent, 7U);
}

TEST(MappingEvents, WhatTheRingLostIsCounted) {
  MappingEvent event;
  u64 lost = 0;
  Record record{PERF_RECORD_LOST};
  EXPECT_FALSE(parse_mapping_record(record.put<u64>(1).put<u64>(12).with_time(9), event, lost));
  EXPECT_EQ(lost, 12U);
}

TEST(MappingEvents, RecordCutShortIsNotRead) {
  MappingEvent event;
  u64 lost = 0;
  std::vector<std::byte> record = map_record(PROT_EXEC).with_time(55);
  for (std::size_t size = 0; size < 60; size++)
    EXPECT_FALSE(parse_mapping_record(std::span(record).first(size), event, lost)) << size;
}

}  // namespace
}  // namespace wick
