// The output formats, one row each. A new one is a row here and a folder beside this file with
//
//   Status write_ID(const Profile&, const WriteOptions&, Sink&)
//
// The enum `Format`, the writers' declarations, --format, -o and the help of both follow from the
// rows, in their order.
//
//   id         Format::ID and write_ID
//   name       for --format
//   extension  for -o; of several that fit, the longest counts
//   times      whether it shows when each event happened: never, in_charts (of an SVG) or always
//   help       whether the help names it: listed or unlisted
#pragma once

#define WICK_OUTPUT_FORMATS(ROW)                                   \
  ROW(html, "html", ".html", always, listed)                       \
  ROW(svg, "svg", ".svg", in_charts, listed)                       \
  ROW(folded, "folded", ".folded", never, listed)                  \
  ROW(pprof, "pprof", ".pb.gz", never, listed)                     \
  ROW(pprof_raw, "pprof-raw", ".pb", never, unlisted)              \
  ROW(speedscope, "speedscope", ".speedscope.json", never, listed) \
  ROW(firefox, "firefox", ".firefox.json", always, listed)         \
  ROW(callgrind, "callgrind", ".callgrind", never, listed)         \
  ROW(dot, "dot", ".dot", never, listed)                           \
  ROW(json, "json", ".json", always, listed)                       \
  ROW(text, "text", ".txt", never, listed)
