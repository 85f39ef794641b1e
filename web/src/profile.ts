// What a report is made of, once decoded. Nothing changes it; trees are derived from it (tree.ts).
import type { Numbers } from "./data";

export interface ValueType {
  type: string;
  unit: string;
}

export interface ProfileInfo {
  command: string;
  host: string;
  kernel: string;
  startMs: number;
  durationNs: number;
  cpus: number;
  period: number;
  periodUnit: string;
  losses: { cause: string; count: number }[];
}

// Kinds as in src/profile/profile.h, and behind them the process's name at the root of its stacks.
export const Kind = { user: 0, kernel: 1, jit: 2, inlined: 3, note: 4, waker: 5, waiting: 6, task: 7 } as const;
export const kindNames = ["user", "kernel", "jit", "inlined", "note", "waker", "waiting", "process"];

// Sorted by name: a smaller number is an earlier name.
export interface Functions {
  name: string[];
  kind: Uint8Array;
  path: string[];
  file: string[];
  line: Numbers;
}

// A name for links: that of the function, with its kind where an earlier one has the same name.
export function functionKeys(functions: Functions): string[] {
  const seen = new Set<string>();
  return functions.name.map((name, fn) => {
    const key = seen.has(name) ? `${name} [${kindNames[functions.kind[fn]]}]` : name;
    seen.add(name);
    return key;
  });
}

// Depth first, a node before its children; 0 is the root of all and has no function (-1).
export interface Nodes {
  count: number;
  parent: Int32Array;
  depth: Int32Array;
  fn: Int32Array;
  maxDepth: number;
}

export interface Profile {
  title: string;
  info: ProfileInfo;
  values: ValueType[];
  defaultValue: number;
  differential: boolean;
  inverted: boolean;
  perThread: boolean;
  negativeValues: number;
  functions: Functions;
  tasks: { comm: string[]; pid: Numbers; tid: Numbers };
  labels: string[];
  nodes: Nodes;
  // By node, ascending: what one task added to a node's own value.
  rows: { node: Uint32Array; task: Numbers; label: Numbers; values: Numbers[] };
  moments: { micros: Float64Array; row: Numbers; value: Numbers } | null;
}
