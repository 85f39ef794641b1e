#include "symbols/jit_name.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::string name(std::string_view raw) {
  return readable_jit_name(raw).name;
}

TEST(JitName, JavaDescriptorsBecomeDottedNames) {
  EXPECT_EQ(name("Lnet/foo/Bar;::baz"), "net.foo.Bar.baz");
  EXPECT_EQ(name("LBurn;::run"), "Burn.run");
  EXPECT_EQ(name("Lnet/foo/Bar;baz(ILjava/lang/String;)V"), "net.foo.Bar.baz");
  EXPECT_EQ(name("Lnet/foo/Bar$Inner;::<init>"), "net.foo.Bar$Inner.<init>");
  EXPECT_EQ(name("La/B;::c->La/D;::e"), "a.B.c->a.D.e");
}

TEST(JitName, JavaSignaturesLoseTypesAndArguments) {
  EXPECT_EQ(name("long Burn.burn(int)"), "Burn.burn");
  EXPECT_EQ(name("java.lang.Object jdk.internal.misc.Unsafe.get(java.lang.Object, long)"),
            "jdk.internal.misc.Unsafe.get");
  EXPECT_EQ(name("byte[] java.lang.String.getBytes()"), "java.lang.String.getBytes");
  EXPECT_EQ(name("void java.lang.Object.<init>()"), "java.lang.Object.<init>");
  EXPECT_EQ(name("net.foo.Bar::baz(int)"), "net.foo.Bar.baz");
  EXPECT_EQ(name("void Main$$Lambda$14/0x0000000800c03000.run()"),
            "Main$$Lambda$14/0x0000000800c03000.run");
}

TEST(JitName, ScriptFunctionsKeepTheirTierAndPlace) {
  const JitName optimised = readable_jit_name("JS:*burn /srv/app.js:3:14");
  EXPECT_EQ(optimised.name, "*burn /srv/app.js:3:14");
  EXPECT_EQ(optimised.file, "/srv/app.js");
  EXPECT_EQ(optimised.line, 3U);
  EXPECT_EQ(name("JS:~run /srv/app.js:2:13"), "~run /srv/app.js:2:13");
  EXPECT_EQ(name("LazyCompile:^main /srv/app.js:9"), "^main /srv/app.js:9");
  EXPECT_EQ(readable_jit_name("LazyCompile:^main /srv/app.js:9").line, 9U);
  EXPECT_EQ(name("Eval:~ /srv/app.js:1:1"), "~(anonymous) /srv/app.js:1:1");
  EXPECT_EQ(readable_jit_name("JS:~x node:internal/timers:5:1").file, "node:internal/timers");
}

TEST(JitName, WhatIsOfNoKnownFormStays) {
  for (const std::string_view raw : {"Interpreter",
                                     "StubRoutines (1)",
                                     "I2C/C2I adapters",
                                     "Builtin:RecordWriteSaveFP",
                                     "int32 [App] Program::Main(string[])[Optimized]",
                                     "void foo::bar(int)",
                                     "foo(int)",
                                     "L;",
                                     "L",
                                     "Lfoo",
                                     "(",
                                     ")",
                                     "()",
                                     " ()",
                                     ".()",
                                     "a (b)",
                                     "py::run:/srv/x.py",
                                     "JS:",
                                     "JS: ",
                                     "JS:~a :",
                                     "JS:~a :::",
                                     "L->L;->L",
                                     "wasm-function[12]"}) {
    const JitName out = readable_jit_name(raw);
    if (!raw.starts_with("JS:")) {
      EXPECT_EQ(out.name, raw);
    }
    EXPECT_EQ(out.line, 0U) << raw;
  }
}

}  // namespace
}  // namespace wick
