// wick netqtop: packets of a network device, by queue and size. bcc's options and text; counted by
// bpf/netqtop.bpf.c.
#include "bpf/abi/netqtop.h"
#include "proc/network_device.h"
#include "tool/command/command.h"
#include "tool/table/table_run.h"
#include "tool/table/table_sections.h"

#include "netqtop.skel.h"

namespace wick {
namespace {

struct NetqtopOptions : TableOptions {
  std::optional<std::string> device;
  bool throughput = false;
  NetqtopOptions() { interval = 1; }
};

std::vector<TableColumn> columns(bool throughput) {
  constexpr int kWidth = -10;
  std::vector<TableColumn> out = section_columns("direction", {"TX", "RX"}, "QueueID", "queue");
  out.push_back(
      average_column("avg_size", "avg_size", kWidth, WICK_NETQTOP_BYTES, WICK_NETQTOP_PACKETS));
  std::size_t amount = WICK_NETQTOP_FIRST_SIZE;
  for (const auto& [title, name] : {std::pair{"[0, 64)", "below_64"},
                                    {"[64, 512)", "below_512"},
                                    {"[512, 2K)", "below_2k"},
                                    {"[2K, 16K)", "below_16k"},
                                    {"[16K, 64K)", "from_16k"}})
    out.push_back(amount_column(title, name, kWidth, amount++));
  out.push_back(amount_column("", "packets", 0, WICK_NETQTOP_PACKETS));
  out.push_back(amount_column("", "bytes", 0, WICK_NETQTOP_BYTES));
  out.push_back(rate_column(throughput ? "BPS" : "", "bps", kWidth, WICK_NETQTOP_BYTES));
  out.push_back(rate_column(throughput ? "PPS" : "", "pps", kWidth, WICK_NETQTOP_PACKETS));
  return out;
}

Result<int> run(Session& session, const NetqtopOptions& options, const Trailing& /*unused*/) {
  if (!options.device) return fail_usage("which network device?", "name it: -n lo");
  const NetworkDevice device = TRY(network_device(*options.device));
  const TableTool tool{.heading = "",
                       .layout = TableLayout::sections,
                       .counted = "packet",
                       .columns = columns(options.throughput),
                       .prepare = with_rows({device.transmit_queues, device.receive_queues}),
                       .sections = {"TX", "RX"}};
  return run_table<netqtop_bpf>(session, options, tool, [&](netqtop_bpf& bpf) {
    bpf.rodata->filter_device = device.number;
    bpf.rodata->filter_netns = device.network_namespace;
  });
}

using O = NetqtopOptions;
constexpr std::array kOwnOptions{
    value<O, &O::device>('n', "name", "DEVICE", "the network device"),
    value<O, &O::interval>('i', "interval", "SECONDS", "seconds between outputs (default 1)"),
    flag<O, &O::throughput>('t', "throughput", "also bytes and packets a second"),
    value<O, &O::count>(0, "count", "N", "outputs (default: until Ctrl-C)"),
};
constexpr auto kOptions = all_of(kOwnOptions, kTableOptions<O>);
constexpr std::array kExamples{
    Example{"wick netqtop -n lo -i 1 --count 1", "a second of the loopback device"},
    Example{"wick netqtop -n lo -t --csv --count 1", "with bytes and packets a second, as CSV"},
};

}  // namespace

extern constexpr Command netqtop_command = command<NetqtopOptions, run>({
    .name = "netqtop",
    .group = "Network",
    .summary = "packets of a network device, by queue and size",
    .description = "Counts packets as they are given to the device and as they come from it, by "
                   "queue. What is sent has its link-layer header on, what is received has not.",
    .options = kOptions,
    .examples = kExamples,
});

}  // namespace wick
