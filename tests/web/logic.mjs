// The viewer's arithmetic against the plainest way to do it, on random profiles: trees rearranged, functions
// summed, callers and callees, calls, search. Prints as tests/native/lib.bash does.
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { build } = createRequire(new URL("../../web/package.json", import.meta.url))("esbuild");
const source = (name) => fileURLToPath(new URL(`../../web/src/${name}.ts`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "wick-logic-"));
const modules = ["derive", "top", "graph", "search", "export", "short_name", "profile"];
await build({ entryPoints: modules.map(source), outdir: folder, bundle: true, format: "esm", outExtension: { ".js": ".mjs" }, logLevel: "error" });
const [derive, top, graph, { search }, { foldedText }, { shortName }, { Kind }] = await Promise.all(
  modules.map((name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href)));
rmSync(folder, { recursive: true });

// The same numbers each time.
let seed = 42;
const random = (below) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % below;

// Functions a to h; tasks p and q are named last, as their kind is.
const names = ["a", "b", "c", "d", "e", "f", "g", "h", "p", "q"];
const kinds = Uint8Array.from(names, (name) => (name >= "p" ? Kind.task : Kind.user));

function randomStacks(values) {
  const stacks = [];
  for (let i = 0; i < 30; i++) {
    const path = Array.from({ length: random(7) }, () => random(5));
    const task = random(4); // p 1/1, p 1/2, q 3/3, q 3/4
    stacks.push({ path: [task < 2 ? 8 : 9, ...path], task, values: Array.from({ length: values }, () => random(20)) });
  }
  return stacks;
}

// As src/views/report_tree.cpp lays it out.
function profileOf(stacks, differential) {
  const nodes = { parent: [-1], fn: [-1], depth: [0] };
  const rows = [];
  const sorted = stacks.slice().sort((a, b) => compare(a.path, b.path));
  let last = [];
  let chain = [0];
  for (const stack of sorted) {
    let shared = 0;
    while (shared < last.length && shared < stack.path.length && last[shared] === stack.path[shared]) shared++;
    chain = chain.slice(0, shared + 1);
    for (const fn of stack.path.slice(shared)) {
      nodes.parent.push(chain.at(-1));
      nodes.depth.push(chain.length);
      nodes.fn.push(fn);
      chain.push(nodes.fn.length - 1);
    }
    last = stack.path;
    rows.push({ ...stack, node: chain.at(-1) });
  }
  return {
    differential, moments: null, labels: [""],
    functions: { name: names, kind: kinds, path: names.map(() => ""), file: names.map(() => ""), line: kinds },
    tasks: { comm: ["p", "p", "q", "q"], pid: [1, 1, 3, 3], tid: [1, 2, 3, 4] },
    nodes: {
      count: nodes.fn.length, maxDepth: Math.max(...nodes.depth),
      parent: Int32Array.from(nodes.parent), depth: Int32Array.from(nodes.depth), fn: Int32Array.from(nodes.fn),
    },
    rows: {
      node: Uint32Array.from(rows, (row) => row.node), task: Uint8Array.from(rows, (row) => row.task), label: [],
      values: stacks[0].values.map((_, v) => Uint8Array.from(rows, (row) => row.values[v])),
    },
  };
}

function compare(a, b) {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

const selection = { value: 0, tasks: [], labels: [], time: null, focus: [] };
const shape = { side: "both", group: "comm", hide: [], collapse: false, reverse: false };

// Folded text with equal lines summed: the plain way to say what a tree must hold.
function folded(stacks, pathOf) {
  const sums = new Map();
  for (const stack of stacks) {
    const line = pathOf(stack).join(";");
    const sum = sums.get(line) ?? stack.values.map(() => 0);
    sums.set(line, sum.map((value, i) => value + stack.values[i]));
  }
  return [...sums].filter(([line, sum]) => line && sum.some(Boolean)).map(([line, sum]) => `${line} ${sum.join(" ")}`).sort();
}
const linesOf = ({ tree, functions }) => foldedText(tree, functions, 0).split("\n").filter(Boolean).sort();
const plainPath = ({ path }) => path.map((fn) => names[fn]);
const collapsed = (path) => path.filter((name, i) => name !== path[i - 1]);
const labels = ["p (1/1)", "p (1/2)", "q (3/3)", "q (3/4)"];

function same(actual, wanted, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}\n  is     ${a}\n  wanted ${b}`);
}

// Children lie inside their parents, side by side, in order; totals add up.
function wellFormed({ tree }) {
  for (let i = 1; i < tree.count; i++) {
    const parent = tree.parent[i];
    if (!(parent < i && tree.depth[i] === tree.depth[parent] + 1)) throw new Error("not depth first");
    if (tree.x[i] < tree.x[parent] || tree.x[i] + tree.total[i] > tree.x[parent] + tree.total[parent]) throw new Error("a child outside its parent");
  }
  const sums = Array.from(tree.self);
  for (let i = tree.count - 1; i > 0; i--) sums[tree.parent[i]] += sums[i];
  same(Array.from(tree.total), sums, "totals");
}

const checks = {
  "trees hold what the stacks hold": (stacks, profile) => {
    for (const [change, pathOf] of [
      [{}, plainPath],
      [{ collapse: true }, (stack) => collapsed(plainPath(stack))],
      [{ hide: ["^[bc]$"] }, (stack) => plainPath(stack).filter((name) => !/^[bc]$/.test(name))],
      [{ hide: ["^b$"], collapse: true }, (stack) => collapsed(plainPath(stack).filter((name) => name !== "b"))],
      [{ reverse: true }, (stack) => plainPath(stack).reverse()],
      [{ group: "none" }, (stack) => plainPath(stack).slice(1)],
      [{ group: "tid" }, (stack) => [labels[stack.task], ...plainPath(stack).slice(1)]],
    ]) {
      const derived = derive.deriveTree(profile, selection, { ...shape, ...change });
      wellFormed(derived);
      same(linesOf(derived), folded(stacks, pathOf), JSON.stringify(change));
    }
  },
  "a choice of tasks and functions keeps their stacks": (stacks, profile) => {
    for (const [change, keep] of [
      [{ tasks: ["p"] }, ({ task }) => task < 2],
      [{ tasks: ["p/1/2", "q/3/3"] }, ({ task }) => task === 1 || task === 2],
      [{ focus: ["^a$", "^b$"] }, ({ path }) => path.includes(0) && path.includes(1)],
    ])
      same(linesOf(derive.deriveTree(profile, { ...selection, ...change }, shape)), folded(stacks.filter(keep), plainPath), JSON.stringify(change));
  },
  "self and total count a function once per stack": (stacks, profile) => {
    const { tree } = derive.deriveTree(profile, selection, shape);
    for (const row of top.topFunctions(tree, names.length)) {
      const sum = (keep) => stacks.filter(keep).reduce((all, { values }) => all + Math.max(...values), 0);
      if (profile.differential) continue; // widths are maxima per node, not per stack
      same(row.self, sum(({ path }) => path.at(-1) === row.fn), `self of ${names[row.fn]}`);
      same(row.total, sum(({ path }) => path.includes(row.fn)), `total of ${names[row.fn]}`);
    }
  },
  "callers and callees hold the function's stacks": (stacks, profile) => {
    const { tree, functions } = derive.deriveTree(profile, selection, shape);
    for (let fn = 0; fn < 5; fn++) {
      const mine = stacks.filter(({ path }) => path.includes(fn));
      const callers = { tree: derive.callersOf(tree, fn, "both"), functions };
      const callees = { tree: derive.calleesOf(tree, fn, "both"), functions };
      same(linesOf(callers), folded(mine, ({ path }) => path.slice(0, path.indexOf(fn) + 1).reverse().map((f) => names[f])), `callers of ${names[fn]}`);
      same(linesOf(callees), folded(mine, ({ path }) => path.slice(path.indexOf(fn)).map((f) => names[f])), `callees of ${names[fn]}`);
    }
  },
  "the graph counts a call once per stack": (stacks, profile) => {
    if (profile.differential) return;
    const { tree, functions } = derive.deriveTree(profile, selection, shape);
    for (const edge of graph.callGraph(tree, functions).edges) {
      const has = ({ path }) => path.some((fn, i) => fn === edge.from && path[i + 1] === edge.to);
      if (edge.skips) continue;
      same(edge.value, stacks.filter(has).reduce((sum, { values }) => sum + values[0], 0), `${names[edge.from]} calls ${names[edge.to]}`);
    }
  },
  "search counts a stack once": (stacks, profile) => {
    if (profile.differential) return;
    const { tree, functions } = derive.deriveTree(profile, selection, shape);
    const found = search(tree, functions, "^[ab]$");
    same(found.value, stacks.filter(({ path }) => path.includes(0) || path.includes(1)).reduce((sum, { values }) => sum + values[0], 0), "matched");
  },
};

function report(name, run) {
  try {
    run();
    console.log(`ok viewer: ${name}`);
  } catch (error) {
    console.log(`FAILED viewer: ${name}\n    ${error.message.split("\n").join("\n    ")}`);
    process.exitCode = 1;
  }
}

for (const [name, run] of Object.entries(checks))
  report(name, () => {
    for (let round = 0; round < 60; round++) {
      const differential = round % 3 === 2;
      const stacks = randomStacks(differential ? 2 : 1);
      run(stacks, profileOf(stacks, differential));
    }
  });

report("short names lose arguments, never themselves", () => {
  for (const [name, short] of [
    ["a::b<c<d>, e>(f, g<h>) const [clone .constprop.0]", "a::b"],
    ["void std::sort<int*>(int*, int*)", "std::sort"],
    ["x::operator()(int) const", "x::operator()"],
    ["std::ostream& operator<< <char>(std::ostream&, char)", "operator<<"],
    ["operator new(unsigned long)", "operator new"],
    ["ns::(anonymous namespace)::f(int)", "ns::f"],
    ["<T as Trait>::next", "<T as Trait>::next"],
    ["[unknown]", "[unknown]"],
    ["(garbage collector)", "(garbage collector)"],
    ["a < b", "a < b"],
    ["plain", "plain"],
  ])
    same(shortName(name), short, name);
});
