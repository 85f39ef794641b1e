// Who calls whom, small enough to look at: the rule of src/views/call_graph.h, which is pprof's. A stack
// counts once for each of its functions and calls; small ones are left out; of too many functions the
// telling ones stay. tests/data/call_graph.json holds both sides to it.
import { topFunctions, type TopRow } from "./top";
import type { Tree } from "./tree";

export interface GraphLimits {
  nodes: number;
  nodeShare: number;
  edgeShare: number;
}
export const usualLimits: GraphLimits = { nodes: 80, nodeShare: 0.005, edgeShare: 0.001 };

export interface Call {
  from: number; // functions
  to: number;
  amounts: number[]; // one, or before and after
  value: number; // the larger of them
  skips: boolean; // functions between the two were left out
}

export interface Calls {
  rows: TopRow[]; // by size, descending
  calls: Call[]; // likewise
  droppedRows: number;
  droppedCalls: number;
}

// Where both sides of a differential profile are shown, what vanished counts as much as what came.
function columnsOf({ diff, self, total }: Tree): Float64Array[] {
  const both = diff && self !== diff.beforeSelf && self !== diff.afterSelf;
  return both ? [diff.before, diff.after] : [total];
}

export function callsOf(tree: Tree, functions: number, limits = usualLimits): Calls {
  const columns = columnsOf(tree);
  const whole = Math.max(...columns.map((column) => column[0]));
  const both = columns.length > 1;
  const size = (row: TopRow) => (both ? Math.max(row.before, row.after) : row.total);
  const selfSize = (row: TopRow) => (both ? Math.max(row.beforeSelf, row.afterSelf) : row.self);
  const all = topFunctions(tree, functions);
  let rows = all.filter((row) => size(row) >= whole * limits.nodeShare);
  if (rows.length > limits.nodes) {
    const spread = spreads(tree, columns, functions, all, selfSize);
    const score = (row: TopRow) => Math.round((1e9 * (spread[row.fn] * size(row) + selfSize(row))) / whole);
    rows = rows.sort((a, b) => score(b) - score(a) || a.fn - b.fn).slice(0, limits.nodes);
  }
  rows.sort((a, b) => size(b) - size(a) || a.fn - b.fn);
  const place = new Int32Array(functions).fill(-1);
  rows.forEach((row, i) => (place[row.fn] = i));
  const between = callsBetween(tree, columns, place);
  const calls = between
    .filter((call) => call.value > 0 && call.value >= whole * limits.edgeShare)
    .sort((a, b) => b.value - a.value || place[a.from] - place[b.from] || place[a.to] - place[b.to]);
  const telling = withoutRedundant(calls);
  return { rows, calls: telling, droppedRows: all.length - rows.length, droppedCalls: between.length - telling.length };
}

// Calls among the functions that have a place. Walks the tree with what is open of the current stack.
function callsBetween(tree: Tree, columns: Float64Array[], place: Int32Array): Call[] {
  const calls = new Map<number, Call & { open: number }>();
  const stack: { kept: number; call: (Call & { open: number }) | null; skipped: boolean }[] = [];
  for (let i = 1; i < tree.count; i++) {
    while (stack.length >= tree.depth[i]) {
      const left = stack.pop()!;
      if (left.call) left.call.open--;
    }
    const above = stack.at(-1) ?? { kept: -1, call: null, skipped: false };
    const fn = tree.fn[i];
    if (place[fn] < 0) {
      stack.push({ kept: above.kept, call: null, skipped: true });
      continue;
    }
    // A function's calls of itself say nothing in a picture of functions.
    if (above.kept < 0 || above.kept === fn || columns.every((column) => column[i] === 0)) {
      stack.push({ kept: fn, call: null, skipped: false });
      continue;
    }
    const key = above.kept * place.length + fn;
    let call = calls.get(key);
    if (!call) calls.set(key, (call = { from: above.kept, to: fn, amounts: columns.map(() => 0), value: 0, skips: false, open: 0 }));
    call.skips ||= above.skipped;
    if (call.open++ === 0) columns.forEach((column, c) => (call.amounts[c] += column[i]));
    stack.push({ kept: fn, call, skipped: false });
  }
  return [...calls.values()].map(({ open, ...call }) => ({ ...call, value: Math.max(...call.amounts) }));
}

// How evenly a function's calls spread: 0 on a straight way, 1 and more where ways part.
function spreads(tree: Tree, columns: Float64Array[], functions: number, rows: TopRow[], selfSize: (row: TopRow) => number): Float64Array {
  const calls = callsBetween(tree, columns, new Int32Array(functions));
  const into = new Float64Array(functions);
  const outOf = new Float64Array(functions);
  for (const row of rows) outOf[row.fn] = selfSize(row);
  for (const { from, to, value } of calls) {
    outOf[from] += value;
    into[to] += value;
  }
  const spread = new Float64Array(functions);
  const part = (share: number, whole: number) => (share <= 0 || whole <= 0 ? 0 : (-share / whole) * Math.log2(share / whole));
  for (const { from, to, value } of calls) {
    spread[from] += part(value, outOf[from]);
    spread[to] += part(value, into[to]);
  }
  for (const row of rows) {
    spread[row.fn] += part(selfSize(row), outOf[row.fn]);
    if (into[row.fn] === 0) spread[row.fn] += 1; // a root
    if (outOf[row.fn] === selfSize(row)) spread[row.fn] += 1; // a leaf
  }
  return spread;
}

// Without calls that skip and say no more than a way along other calls does, lightest first.
function withoutRedundant(calls: Call[]): Call[] {
  const kept = calls.slice();
  for (let i = kept.length - 1; i >= 0; i--) if (kept[i].skips && reachesWithout(kept, i)) kept.splice(i, 1);
  return kept;
}

function reachesWithout(calls: Call[], leftOut: number): boolean {
  const { from, to } = calls[leftOut];
  const reached = new Set<number>();
  const todo = [from];
  while (todo.length > 0) {
    const at = todo.pop()!;
    if (at === to) return true;
    calls.forEach((call, i) => {
      if (i === leftOut || call.from !== at || reached.has(call.to)) return;
      reached.add(call.to);
      todo.push(call.to);
    });
  }
  return false;
}
