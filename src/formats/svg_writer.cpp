#include "formats/writers.h"
namespace wick {
Status write_svg(const Profile&, const WriteOptions&, Sink&) {
  return fail("svg: soon");
}
}  // namespace wick
