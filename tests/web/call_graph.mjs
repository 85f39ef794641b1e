// The rule of the report's call graph, as tests/data/call_graph.json has it. The C++ side reads the same file
// (tests/unit/views/call_graph_golden_test.cpp). Prints as tests/native/lib.bash does.
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { build } = createRequire(new URL("../../web/package.json", import.meta.url))("esbuild");
const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "wick-call-graph-"));
const modules = ["call_graph", "tree"];
await build({ entryPoints: modules.map((name) => path(`web/src/${name}.ts`)), outdir: folder, bundle: true, format: "esm", outExtension: { ".js": ".mjs" }, logLevel: "error" });
const [{ callsOf }, { makeTree }] = await Promise.all(modules.map((name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href)));
rmSync(folder, { recursive: true });

// As src/views/report_tree.cpp lays it out: functions by name, nodes depth first, children by name.
function treeOf(stacks) {
  const bare = (name) => name.replace(/_\[k\]$/, "");
  const order = (a, b) => (bare(a) < bare(b) ? -1 : bare(a) > bare(b) ? 1 : a.length - b.length);
  const names = [...new Set(stacks.flatMap(({ frames }) => frames))].sort(order);
  const width = stacks[0].values.length;
  const root = { children: new Map(), self: Array(width).fill(0) };
  for (const { frames, values } of stacks) {
    let at = root;
    for (const frame of frames) {
      const fn = names.indexOf(frame);
      if (!at.children.has(fn)) at.children.set(fn, { children: new Map(), self: Array(width).fill(0) });
      at = at.children.get(fn);
    }
    values.forEach((value, i) => (at.self[i] += value));
  }
  const nodes = { parent: [], depth: [], fn: [], self: [] };
  const add = (node, parent, depth, fn) => {
    const at = nodes.fn.length;
    nodes.parent.push(parent);
    nodes.depth.push(depth);
    nodes.fn.push(fn);
    nodes.self.push(node.self);
    for (const [child, below] of [...node.children].sort(([a], [b]) => a - b)) add(below, at, depth + 1, child);
  };
  add(root, -1, 0, -1);
  const tree = makeTree(
    { count: nodes.fn.length, maxDepth: Math.max(...nodes.depth), parent: Int32Array.from(nodes.parent), depth: Int32Array.from(nodes.depth), fn: Int32Array.from(nodes.fn) },
    stacks[0].values.map((_, i) => Float64Array.from(nodes.self, (self) => self[i])), "both");
  return { tree, names };
}

const { cases } = JSON.parse(readFileSync(path("tests/data/call_graph.json"), "utf8"));
for (const { name, limits, stacks, graph } of cases) {
  const { tree, names } = treeOf(stacks);
  const { rows, calls, droppedRows, droppedCalls } = callsOf(tree, names.length, { nodes: limits.nodes, nodeShare: limits.node_share, edgeShare: limits.edge_share });
  const both = stacks[0].values.length > 1;
  const is = {
    nodes: rows.map((row) => ({ name: names[row.fn], self: both ? [row.beforeSelf, row.afterSelf] : [row.self], total: both ? [row.before, row.after] : [row.total] })),
    edges: calls.map(({ from, to, amounts, skips }) => ({ from: names[from], to: names[to], amounts, skips })),
    dropped_nodes: droppedRows,
    dropped_edges: droppedCalls,
  };
  const [a, b] = [JSON.stringify(is), JSON.stringify(graph)];
  if (a !== b) process.exitCode = 1;
  console.log(a === b ? `ok viewer: call graph: ${name}` : `FAILED viewer: call graph: ${name}\n    is     ${a}\n    wanted ${b}`);
}
