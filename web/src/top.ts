// The functions of a tree: self where they are the leaf, total where they are anywhere in the stack, once
// per stack however often they recurse.
import type { Tree } from "./tree";

export interface TopRow {
  fn: number;
  self: number;
  total: number;
  // In a differential profile:
  beforeSelf: number;
  afterSelf: number;
  before: number;
  after: number;
}

export function topFunctions(tree: Tree, functions: number): TopRow[] {
  const sums = (column: Float64Array) => selfSums(tree, column, functions);
  const outer = outermostNodes(tree, functions);
  const totals = (column: Float64Array) => outerSums(tree, column, outer, functions);
  const self = sums(tree.self);
  const total = totals(tree.total);
  const diff = tree.diff && {
    beforeSelf: sums(tree.diff.beforeSelf),
    afterSelf: sums(tree.diff.afterSelf),
    before: totals(tree.diff.before),
    after: totals(tree.diff.after),
  };
  const rows: TopRow[] = [];
  for (let fn = 0; fn < functions; fn++) {
    if (total[fn] === 0) continue;
    rows.push({
      fn,
      self: self[fn],
      total: total[fn],
      beforeSelf: diff?.beforeSelf[fn] ?? 0,
      afterSelf: diff?.afterSelf[fn] ?? 0,
      before: diff?.before[fn] ?? 0,
      after: diff?.after[fn] ?? 0,
    });
  }
  return rows;
}

function selfSums(tree: Tree, column: Float64Array, functions: number): Float64Array {
  const out = new Float64Array(functions);
  for (let i = 1; i < tree.count; i++) out[tree.fn[i]] += column[i];
  return out;
}

// 1 where no node above has the same function.
function outermostNodes(tree: Tree, functions: number): Uint8Array {
  const outer = new Uint8Array(tree.count);
  const active = new Int32Array(functions);
  const path: number[] = [];
  for (let i = 1; i < tree.count; i++) {
    while (path.length >= tree.depth[i]) active[path.pop()!]--;
    const fn = tree.fn[i];
    outer[i] = active[fn] === 0 ? 1 : 0;
    active[fn]++;
    path.push(fn);
  }
  return outer;
}

function outerSums(tree: Tree, column: Float64Array, outer: Uint8Array, functions: number): Float64Array {
  const out = new Float64Array(functions);
  for (let i = 1; i < tree.count; i++) if (outer[i]) out[tree.fn[i]] += column[i];
  return out;
}
