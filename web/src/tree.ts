// Tree: calls with values, ready to be drawn: depth first, each node with its own value, its total, and
// where it begins. In a differential profile the width is the larger of before and after, so what
// vanished still has its place.
import type { Nodes } from "./profile";

export interface Tree extends Nodes {
  self: Float64Array; // widths
  total: Float64Array;
  x: Float64Array;
  diff: Diff | null;
}

export interface Diff {
  beforeSelf: Float64Array;
  afterSelf: Float64Array;
  before: Float64Array; // totals
  after: Float64Array;
}

export type Side = "both" | "before" | "after";

// `selves` has one column, or before and after.
export function makeTree(nodes: Nodes, selves: Float64Array[], side: Side): Tree {
  const [first, second] = selves;
  let self = first;
  let diff: Diff | null = null;
  if (second) {
    self = side === "before" ? first : side === "after" ? second : larger(first, second);
    diff = {
      beforeSelf: first,
      afterSelf: second,
      before: totalsOf(nodes, first),
      after: totalsOf(nodes, second),
    };
  }
  const total = totalsOf(nodes, self);
  return { ...nodes, self, total, x: startsOf(nodes, total), diff };
}

function larger(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => Math.max(value, b[i]));
}

function totalsOf(nodes: Nodes, self: Float64Array): Float64Array {
  const total = self.slice();
  for (let i = nodes.count - 1; i > 0; i--) total[nodes.parent[i]] += total[i];
  return total;
}

function startsOf(nodes: Nodes, total: Float64Array): Float64Array {
  const x = new Float64Array(nodes.count);
  const next = new Float64Array(nodes.maxDepth + 2); // where the next node of a level begins
  for (let i = 0; i < nodes.count; i++) {
    const depth = nodes.depth[i];
    x[i] = next[depth];
    next[depth] += total[i];
    next[depth + 1] = x[i];
  }
  return x;
}

// One past the last node below `node`.
export function endOf(tree: Nodes, node: number): number {
  let end = node + 1;
  while (end < tree.count && tree.depth[end] > tree.depth[node]) end++;
  return end;
}

// Functions from the root to the node, without the root of all.
export function pathOf(tree: Nodes, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) path.push(tree.fn[at]);
  return path.reverse();
}

// The node at the end of the path, or as far as the path can be followed.
export function nodeAt(tree: Nodes, path: string[], keys: string[]): number {
  let node = 0;
  for (const step of path) {
    const child = childrenOf(tree, node).find((at) => keys[tree.fn[at]] === step);
    if (child === undefined) break;
    node = child;
  }
  return node;
}

export function childrenOf(tree: Nodes, node: number): number[] {
  const children: number[] = [];
  for (let at = node + 1; at < tree.count && tree.depth[at] > tree.depth[node]; at++)
    if (tree.parent[at] === node) children.push(at);
  return children;
}
