// The call graph of call_graph.ts, laid out.
import dagre from "@dagrejs/dagre";
import { callsOf, type Call } from "./call_graph";
import { percent } from "./format";
import { Kind, type Functions } from "./profile";
import { shortName } from "./short_name";
import type { TopRow } from "./top";
import type { Tree } from "./tree";

export interface GraphNode extends TopRow {
  x: number;
  y: number;
  width: number;
  height: number;
  font: number;
}

export interface GraphEdge extends Call {
  points: { x: number; y: number }[];
}

export interface CallGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  width: number;
  height: number;
  dropped: number; // functions
}

const longestLabel = 36;

export function callGraph(tree: Tree, functions: Functions): CallGraph {
  const { rows, calls, droppedRows } = callsOf(tree, functions.name.length);
  const nodes = rows.map((row) => sized(row, functions, tree.total[0]));
  const edges = calls.map((call) => ({ ...call, points: [] }));
  return { ...laidOut(nodes, edges), dropped: droppedRows };
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

function laidOut(nodes: GraphNode[], edges: GraphEdge[]): Omit<CallGraph, "dropped"> {
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 42, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(String(node.fn), { width: node.width, height: node.height });
  // Heavy calls come out short and straight.
  const most = Math.max(1, ...edges.map((edge) => edge.value));
  for (const edge of edges)
    graph.setEdge(String(edge.from), String(edge.to), { weight: 1 + Math.round(50 * (edge.value / most)) });
  dagre.layout(graph);
  for (const node of nodes) {
    const { x, y } = graph.node(String(node.fn)) as { x: number; y: number };
    Object.assign(node, { x, y });
  }
  for (const edge of edges)
    edge.points = (graph.edge(String(edge.from), String(edge.to)) as { points: GraphEdge["points"] }).points;
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { nodes, edges, width, height };
}
