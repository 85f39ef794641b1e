// Builds the report's viewer and the flame graph's script: node build.mjs FOLDER writes FOLDER/viewer.js,
// FOLDER/viewer.css and FOLDER/flame.js.
// CMake runs it; nothing else is needed to change the viewer but an editor and make.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(web, "..", "build", "generated", "viewer");

const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
// npm writes this file when it has installed everything.
if (changed(join(web, "node_modules", ".package-lock.json")) < changed(join(web, "package-lock.json"))) {
  execFileSync("npm", ["ci", "--silent"], { cwd: web, stdio: ["ignore", "inherit", "inherit"] });
}

const { build } = await import("esbuild");
mkdirSync(out, { recursive: true });
const common = {
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox113", "safari16.4"],
  legalComments: "inline",
  logLevel: "warning",
};
await build({
  ...common,
  entryPoints: { viewer: join(web, "src", "main.tsx") },
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
});
// ASCII: its regular expressions name characters that turn the direction of writing.
await build({ ...common, entryPoints: { flame: join(web, "src", "svg", "main.ts") }, charset: "ascii" });

// They stand inside elements of one HTML file, or in CDATA: nothing in them may end those.
const ends = { "viewer.js": /<\/(script|style)|<!--/i, "viewer.css": /<\/(script|style)|<!--/i, "flame.js": /]]>/ };
for (const [name, end] of Object.entries(ends))
  if (end.test(readFileSync(join(out, name), "utf8"))) throw new Error(`${name} would end its own element`);
