// Builds the report's viewer: node build.mjs FOLDER writes FOLDER/viewer.js and FOLDER/viewer.css.
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
await build({
  entryPoints: { viewer: join(web, "src", "main.tsx") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox113", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "inline",
  charset: "utf8",
  logLevel: "warning",
});

// Both stand inside elements of one HTML file: nothing in them may end those.
for (const name of ["viewer.js", "viewer.css"]) {
  const text = readFileSync(join(out, name), "utf8");
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} would end its own element`);
}
