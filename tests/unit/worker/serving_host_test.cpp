#include "worker/serving_host.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(ServingHost, TablesLeadToDebugFilesByBuildIdOnly) {
  const ServingHost host{{}};
  EXPECT_TRUE(host.may_open("/usr/lib/debug/.build-id/ab/cdef01.debug"));
  EXPECT_FALSE(host.may_open("/usr/lib/debug/.build-id/ab/../../../etc/shadow.debug"));
  EXPECT_FALSE(host.may_open("/usr/lib/debug/.build-id/ab/xyz.debug"));
  EXPECT_FALSE(host.may_open("/usr/lib/debug/usr/bin/app.debug"));
  EXPECT_FALSE(host.may_open("/etc/shadow"));
  EXPECT_FALSE(host.may_open("relative.debug"));
  EXPECT_FALSE(host.may_open("/a.dwo"));
}

TEST(ServingHost, NamesLeadToTheFoldersOfADebugLink) {
  const ServingHost host{{.root = {}, .path = "/opt/app/bin/app"}};
  EXPECT_TRUE(host.may_open("/opt/app/bin/app.debug"));
  EXPECT_TRUE(host.may_open("/opt/app/bin/.debug/anything"));
  EXPECT_TRUE(host.may_open("/usr/lib/debug/opt/app/bin/app.debug"));
  EXPECT_FALSE(host.may_open("/opt/app/app.debug"));
  EXPECT_FALSE(host.may_open("/opt/app/bin/../app.debug"));
  EXPECT_FALSE(host.may_open("/opt/app/bin/.."));
  EXPECT_FALSE(host.may_open("/etc/app.dwo"));
}

TEST(ServingHost, LinesLeadToSplitDwarf) {
  const ServingHost host{{.root = {}, .path = "/opt/app/bin/app", .split_dwarf = true}};
  EXPECT_TRUE(host.may_open("/build/app/x.dwo"));
  EXPECT_TRUE(host.may_open("/build/app/../y.dwo"));
  EXPECT_TRUE(host.may_open("/opt/app/bin/app.dwp"));
  EXPECT_FALSE(host.may_open("/etc/shadow"));
}

TEST(ServingHost, NothingIsDownloadedForATable) {
  ServingHost host{{}};
  EXPECT_FALSE(host.download("abcdef"));
}

}  // namespace
}  // namespace wick
