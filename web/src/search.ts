// What a search finds in a tree: which functions, where, and what share they have together.
import type { Functions } from "./profile";
import { matching, tryRegExp } from "./selection";
import type { Tree } from "./tree";

export interface Found {
  text: string;
  valid: boolean;
  match: Uint8Array; // by function
  nodes: number[]; // outermost matches, from left to right
  value: number; // of all of them: a match inside a match counts once
}

const mostNodes = 20_000;

export function search(tree: Tree, functions: Functions, text: string): Found | null {
  if (text === "") return null;
  const pattern = tryRegExp(text);
  const match = matching(functions.name, pattern);
  const nodes: number[] = [];
  let value = 0;
  for (let i = 1; i < tree.count; ) {
    if (!match[tree.fn[i]] || tree.total[i] === 0) {
      i++;
      continue;
    }
    value += tree.total[i];
    if (nodes.length < mostNodes) nodes.push(i);
    const depth = tree.depth[i++];
    while (i < tree.count && tree.depth[i] > depth) i++;
  }
  return { text, valid: pattern !== null, match, nodes, value };
}

// The next one behind `node` in the given direction, round the end.
export function nextMatch(found: Found, node: number, forward: boolean): number {
  const { nodes } = found;
  if (nodes.length === 0) return -1;
  if (forward) return nodes.find((at) => at > node) ?? nodes[0];
  return nodes.findLast((at) => at < node) ?? nodes[nodes.length - 1];
}
