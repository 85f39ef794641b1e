// The call graph, by pprof's rules: at most 80 functions, none below 0.5 % and no call below 0.1 %; each
// call once per stack; a call over functions that were left out is marked as such.
import dagre from "@dagrejs/dagre";
import { percent } from "./format";
import { Kind, type Functions } from "./profile";
import { shortName } from "./short_name";
import { topFunctions, type TopRow } from "./top";
import type { Tree } from "./tree";

export interface GraphNode extends TopRow {
  x: number;
  y: number;
  width: number;
  height: number;
  font: number;
}

export interface GraphEdge {
  from: number; // functions
  to: number;
  value: number;
  residual: boolean;
  points: { x: number; y: number }[];
}

export interface CallGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  width: number;
  height: number;
  dropped: number; // functions
}

const mostNodes = 80;
const nodeShare = 0.005;
const edgeShare = 0.001;
const longestLabel = 36;

export function callGraph(tree: Tree, functions: Functions): CallGraph {
  const whole = tree.total[0];
  const all = topFunctions(tree, functions.name.length);
  const kept = all
    .filter((row) => row.total >= whole * nodeShare)
    .sort((a, b) => b.total + b.self - (a.total + a.self))
    .slice(0, mostNodes);
  const edges = edgesBetween(tree, kept.map((row) => row.fn), functions.name.length)
    .filter((edge) => edge.value >= whole * edgeShare);
  const nodes = kept.map((row) => sized(row, functions, whole));
  return { ...laidOut(nodes, edges), dropped: all.length - kept.length };
}

export function shortLabel(functions: Functions, fn: number): string {
  const name = functions.name[fn];
  const short = functions.kind[fn] === Kind.task ? name : shortName(name);
  return short.length <= longestLabel ? short : `…${short.slice(1 - longestLabel)}`;
}

// Self of total.
export function numbersLabel(row: TopRow, whole: number): string {
  return `${row.self > 0 ? `${percent(row.self, whole)} ` : ""}of ${percent(row.total, whole)}`;
}

function sized(row: TopRow, functions: Functions, whole: number): GraphNode {
  const font = 10.5 + 10 * Math.sqrt(row.self / whole);
  const width = Math.max(numbersLabel(row, whole).length * font * 0.48, shortLabel(functions, row.fn).length * font * 0.58) + 18;
  return { ...row, x: 0, y: 0, width, height: 2.2 * font + 12, font };
}

// Walks the tree with the kept functions of the current stack at hand.
function edgesBetween(tree: Tree, kept: number[], functions: number): GraphEdge[] {
  const place = new Int32Array(functions).fill(-1);
  kept.forEach((fn, i) => (place[fn] = i));
  const size = kept.length;
  const value = new Float64Array(size * size);
  const direct = new Uint8Array(size * size);
  const active = new Int32Array(size * size);
  const stack: { keptAbove: number; edge: number; skipped: boolean }[] = [];
  for (let i = 1; i < tree.count; i++) {
    while (stack.length >= tree.depth[i]) {
      const left = stack.pop()!;
      if (left.edge >= 0) active[left.edge]--;
    }
    const above = stack.at(-1) ?? { keptAbove: -1, edge: -1, skipped: false };
    const at = place[tree.fn[i]];
    if (at < 0) {
      stack.push({ keptAbove: above.keptAbove, edge: -1, skipped: true });
      continue;
    }
    const edge = above.keptAbove < 0 ? -1 : above.keptAbove * size + at;
    if (edge >= 0) {
      if (active[edge]++ === 0) value[edge] += tree.total[i];
      if (!above.skipped) direct[edge] = 1;
    }
    stack.push({ keptAbove: at, edge, skipped: false });
  }
  const edges: GraphEdge[] = [];
  value.forEach((sum, edge) => {
    if (sum === 0) return;
    const from = kept[Math.floor(edge / size)];
    edges.push({ from, to: kept[edge % size], value: sum, residual: !direct[edge], points: [] });
  });
  return edges;
}

function laidOut(nodes: GraphNode[], edges: GraphEdge[]): Omit<CallGraph, "dropped"> {
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 42, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(String(node.fn), { width: node.width, height: node.height });
  // Heavy calls come out short and straight.
  const most = Math.max(1, ...edges.map((edge) => edge.value));
  for (const edge of edges)
    if (edge.from !== edge.to)
      graph.setEdge(String(edge.from), String(edge.to), { weight: 1 + Math.round(50 * (edge.value / most)) });
  dagre.layout(graph);
  for (const node of nodes) {
    const { x, y } = graph.node(String(node.fn)) as { x: number; y: number };
    Object.assign(node, { x, y });
  }
  const drawn = edges.filter((edge) => edge.from !== edge.to);
  for (const edge of drawn)
    edge.points = (graph.edge(String(edge.from), String(edge.to)) as { points: GraphEdge["points"] }).points;
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { nodes, edges: drawn, width, height };
}
