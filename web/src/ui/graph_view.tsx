// The call graph as SVG: boxes by total, text by self, arcs by weight. The wheel zooms, dragging moves.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { amount, percent } from "../format";
import { callGraph, numbersLabel, shortLabel, type CallGraph, type GraphEdge, type GraphNode } from "../graph";
import { changeSteps, cssOf, kindColour } from "../palette";
import { actions, nameOf, useModel, type Model } from "./model";

const leastScale = 0.55;
const readableScale = 0.85;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function GraphView() {
  const model = useModel();
  const { tree, functions, whole } = model;
  const graph = useMemo(() => callGraph(tree, functions), [tree, functions]);
  const { box, svg, fit, readable } = useMovableBox(graph);
  const maxEdge = Math.max(1, ...graph.edges.map((edge) => edge.value));
  if (graph.nodes.length === 0) return <p class="empty">There is nothing to draw.</p>;
  return (
    <section class="view graph" aria-label="Call graph">
      <svg ref={svg} id="graph" viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`} role="group" aria-label={`Call graph of ${graph.nodes.length} functions`}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">
            <path d="M0 0L8 4L0 8z" class="arrow" />
          </marker>
        </defs>
        {graph.edges.map((edge) => <Edge model={model} edge={edge} most={maxEdge} />)}
        {graph.nodes.map((node) => <Node model={model} node={node} />)}
      </svg>
      <div class="corner">
        <button onClick={fit}>Whole graph</button>
        <button onClick={readable}>Readable size</button>
      </div>
      <p class="remark">
        {graph.nodes.length} functions{graph.dropped > 0 && `, ${graph.dropped.toLocaleString("en-US")} smaller ones left out (80 at most, from 0.5 %)`}; calls from 0.1 %.
        Dotted: calls over functions left out. {percent(whole, whole)} = {amount(whole, model.type)}
      </p>
    </section>
  );
}

function Node({ model, node }: { model: Model; node: GraphNode }) {
  const { functions, palette, type, whole, found } = model;
  const name = nameOf(model, node.fn);
  const share = node.total / whole;
  const matched = found?.match[node.fn] ? " matched" : found ? " dimmed" : "";
  const go = () => actions.sandwich(model, node.fn);
  const numbers = `${amount(node.self, type)} (${percent(node.self, whole)}) of ${amount(node.total, type)} (${percent(node.total, whole)})`;
  return (
    <g class={`node${matched}`} transform={`translate(${node.x - node.width / 2} ${node.y - node.height / 2})`} tabIndex={0} role="button"
      aria-label={`${name}, self ${percent(node.self, whole)}, total ${percent(node.total, whole)}`}
      onClick={go} onKeyDown={(event) => event.key === "Enter" && go()}>
      <title>{name}{"\n"}{numbers}</title>
      <rect width={node.width} height={node.height} rx="3" fill={fillOf(model, node)} fill-opacity={0.3 + 0.7 * Math.sqrt(share)} stroke={cssOf(kindColour(functions.kind[node.fn], !palette.dark, 3))} />
      <text x={node.width / 2} y={node.font + 3} font-size={node.font} text-anchor="middle">{shortLabel(functions, node.fn)}</text>
      <text class="numbers" x={node.width / 2} y={node.font * 1.95 + 6} font-size={node.font * 0.8} text-anchor="middle">{numbersLabel(node, whole)}</text>
    </g>
  );
}

function fillOf({ functions, palette, profile }: Model, node: GraphNode): string {
  if (!profile.differential) return cssOf(kindColour(functions.kind[node.fn], palette.dark));
  const share = (node.after - node.before) / Math.max(node.after, node.before, 1);
  return cssOf(palette.changes[changeSteps + Math.round(Math.sign(share) * Math.sqrt(Math.abs(share)) * changeSteps)]);
}

function Edge({ model, edge, most }: { model: Model; edge: GraphEdge; most: number }) {
  const middle = edge.points[Math.floor(edge.points.length / 2)];
  const width = 0.7 + 5 * Math.sqrt(edge.value / most);
  const label = `${nameOf(model, edge.from)} calls ${nameOf(model, edge.to)}: ${amount(edge.value, model.type)}`;
  return (
    <g class={edge.skips ? "edge residual" : "edge"}>
      <title>{label}</title>
      <path d={curve(edge.points)} stroke-width={width} marker-end="url(#arrow)" />
      <text x={middle.x + width / 2 + 3} y={middle.y + 3}>{amount(edge.value, model.type)}</text>
    </g>
  );
}

// Through the points' middles, so that bends are round.
function curve(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  let path = `M${first.x} ${first.y}`;
  for (let i = 0; i + 1 < rest.length; i++) {
    const [at, next] = [rest[i], rest[i + 1]];
    path += `Q${at.x} ${at.y} ${(at.x + next.x) / 2} ${(at.y + next.y) / 2}`;
  }
  const last = points[points.length - 1];
  return `${path}L${last.x} ${last.y}`;
}

// What of the drawing is visible; the wheel and dragging change it.
function useMovableBox(graph: CallGraph) {
  const whole: Box = { x: 0, y: 0, width: graph.width, height: graph.height };
  const [box, setBox] = useState({ graph, box: whole });
  const svg = useRef<SVGSVGElement>(null);
  const current = box.graph === graph ? box.box : whole;
  const show = (next: Box) => setBox({ graph, box: next });
  const fit = () => show(whole);
  const readable = () => show(readableBox(graph, svg.current!.clientWidth, svg.current!.clientHeight));
  useLayoutEffect(() => {
    const element = svg.current;
    if (element && Math.min(element.clientWidth / graph.width, element.clientHeight / graph.height) < leastScale) readable();
  }, [graph]);
  useEffect(() => {
    const element = svg.current;
    if (!element) return;
    let from: { x: number; y: number } | null = null;
    let moved = false;
    // The end of a movement is no click on what happens to be below it.
    const onClick = (event: MouseEvent) => moved && event.stopPropagation();
    const change = (next: (old: Box) => Box) => setBox((old) => ({ graph, box: next(old.graph === graph ? old.box : whole) }));
    const unit = (old: Box) => Math.max(old.width / element.clientWidth, old.height / element.clientHeight);
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const factor = Math.exp(event.deltaY * 0.0015);
      change((old) => {
        const at = { x: event.offsetX / element.clientWidth, y: event.offsetY / element.clientHeight };
        const [width, height] = [old.width * factor, old.height * factor];
        return { x: old.x + (old.width - width) * at.x, y: old.y + (old.height - height) * at.y, width, height };
      });
    };
    const onDown = (event: PointerEvent) => {
      moved = false;
      from = { x: event.clientX, y: event.clientY };
    };
    const onMove = (event: PointerEvent) => {
      if (!from || !(event.buttons & 1)) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = true;
      from = { x: event.clientX, y: event.clientY };
      change((old) => ({ ...old, x: old.x - dx * unit(old), y: old.y - dy * unit(old) }));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    element.addEventListener("pointerdown", onDown);
    element.addEventListener("pointermove", onMove);
    element.addEventListener("click", onClick, { capture: true });
    return () => {
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("pointerdown", onDown);
      element.removeEventListener("pointermove", onMove);
      element.removeEventListener("click", onClick, { capture: true });
    };
  }, [graph]);
  return { box: current, svg, fit, readable };
}

// The top of the graph, the heaviest function in the middle, at a size that can be read.
function readableBox(graph: CallGraph, clientWidth: number, clientHeight: number): Box {
  const heaviest = graph.nodes.reduce((best, node) => (node.total > best.total || (node.total === best.total && node.y < best.y) ? node : best));
  const [width, height] = [clientWidth / readableScale, clientHeight / readableScale];
  return { x: Math.min(Math.max(heaviest.x - width / 2, 0), Math.max(graph.width - width, 0)), y: 0, width, height };
}
