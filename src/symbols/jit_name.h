// How people read what a runtime calls its code. Thread rule: free function, no state.
//
//   Lnet/foo/Bar;::baz                    -> net.foo.Bar.baz             perf-map-agent, jitdump
//   int net.foo.Bar.baz(int, byte[])      -> net.foo.Bar.baz             Compiler.perfmap
//   JS:*burn /srv/app.js:3:14             -> *burn /srv/app.js:3:14      /srv/app.js, line 3
//
// V8 marks the tier in front: ~ interpreted, ^ baseline, + and * optimised.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"

namespace wick {

struct JitName {
  std::string name;
  std::string file;  // source file, where the name tells it
  u32 line = 0;
};

// A name that is of no known form stays as it is.
[[nodiscard]] JitName readable_jit_name(std::string_view raw);

}  // namespace wick
