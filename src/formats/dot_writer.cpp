// A call graph for Graphviz.
#include "formats/writers.h"

namespace wick {

Status write_dot(const Profile& /*profile*/, const WriteOptions& /*options*/, Sink& /*sink*/) {
  return fail("dot: not written yet");
}

}  // namespace wick
