// The canvas of a flame graph as a component: flame view and sandwich are made of it.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { FlameController } from "../flame/controller";
import type { Scene } from "../flame/raster";
import type { ValueType } from "../profile";
import { describe } from "./describe";

interface Props {
  scene: Omit<Scene, "levels">;
  type: ValueType;
  zoomed: number;
  chosen: number;
  label: string;
  onChoose(node: number): void;
  onZoom(node: number): void;
  controller?: { current: FlameController | null };
}

interface Hovered {
  node: number;
  x: number;
  y: number;
}

export function FlameCanvas(props: Props) {
  const { scene, zoomed, chosen } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const own = useRef<FlameController | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [hovered, setHovered] = useState<Hovered>({ node: -1, x: 0, y: 0 });

  useLayoutEffect(() => {
    const controller = new FlameController(canvas.current!, {
      hover: (node, x, y) => setHovered({ node, x, y }),
      choose: (node) => latest.current.onChoose(node),
      zoom: (node) => latest.current.onZoom(node),
    });
    own.current = controller;
    if (props.controller) props.controller.current = controller;
    const observer = new ResizeObserver(([entry]) =>
      controller.resize(Math.floor(entry.contentRect.width), Math.floor(entry.contentRect.height)));
    observer.observe(box.current!);
    return () => {
      observer.disconnect();
      if (props.controller) props.controller.current = null;
    };
  }, []);

  const { tree, functions, palette, match, inverted, rootName, firstDepth, bySelf } = scene;
  const known = useRef(tree);
  useLayoutEffect(() => {
    own.current!.setScene(scene);
    if (known.current !== tree || zoomed > 0) own.current!.zoomTo(zoomed, false);
    known.current = tree;
    setHovered((last) => ({ ...last, node: -1 }));
  }, [tree, functions, palette, match, inverted, rootName, firstDepth, bySelf]);
  // Also when a link or the back button changed it.
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) own.current!.zoomTo(zoomed, true);
    first.current = false;
  }, [zoomed]);
  useEffect(() => own.current!.select(chosen), [chosen, tree]);

  return (
    <div class="canvas-box" ref={box}>
      <canvas ref={canvas} tabIndex={0} role="application" aria-roledescription="flame graph" aria-label={props.label} />
      <div class="mark" hidden />
      <div class="range" hidden />
      {hovered.node >= 0 && hovered.node < tree.count && <Tip {...props} hovered={hovered} />}
    </div>
  );
}

function Tip({ scene, type, hovered }: Props & { hovered: Hovered }) {
  const { name, kind, lines, place } = describe({ ...scene, type }, hovered.node);
  const right = hovered.x > window.innerWidth * 0.6;
  const below = hovered.y < window.innerHeight * 0.65;
  const style = {
    [right ? "right" : "left"]: `${right ? window.innerWidth - hovered.x + 12 : hovered.x + 12}px`,
    [below ? "top" : "bottom"]: `${below ? hovered.y + 16 : window.innerHeight - hovered.y + 12}px`,
  };
  return (
    <div class="tip" style={style} aria-hidden="true">
      <div class="tip-name"><bdi>{name}</bdi></div>
      <dl>
        {lines.map(([label, text]) => (
          <div><dt>{label}</dt><dd>{text}</dd></div>
        ))}
      </dl>
      <div class="tip-place">{[kind, place].filter(Boolean).join(" · ")}</div>
    </div>
  );
}
