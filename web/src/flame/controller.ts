// A flame graph on a canvas: what is visible, how it moves, and what the pointer does. Whoever made it says
// what to show (setScene, zoomTo, select) and hears of it (Events).
import type { Tree } from "../tree";
import { levelsOf, nodeUnder, type Levels } from "./levels";
import { Raster, rowHeight, type Scene, type Window } from "./raster";

export interface Events {
  hover(node: number, x: number, y: number): void; // -1: nothing
  choose(node: number): void;
  zoom(node: number): void;
}

const clickSlack = 4;
const animationMs = 180;
const fewestVisible = 1e-7; // of the whole

export class FlameController {
  private readonly raster: Raster;
  private scene: Scene | null = null;
  private firstDepth = 0;
  private view: Window = { from: 0, to: 1, scroll: 0, zoomedDepth: 0 };
  private target: Window | null = null; // where an animation leads to
  private width = 0;
  private height = 0;
  private selected = -1;
  private drawn = false;
  private pending = 0;
  private animation = 0;
  private drag: { x: number; y: number; view: Window; moved: boolean; range: boolean } | null = null;
  private readonly mark: HTMLElement;
  private readonly range: HTMLElement;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly events: Events,
  ) {
    this.raster = new Raster(canvas);
    this.mark = canvas.parentElement!.querySelector(".mark")!;
    this.range = canvas.parentElement!.querySelector(".range")!;
    canvas.addEventListener("wheel", this.onWheel, { passive: false });
    canvas.addEventListener("pointerdown", this.onDown);
    canvas.addEventListener("pointermove", this.onMove);
    canvas.addEventListener("pointerup", this.onUp);
    canvas.addEventListener("pointerleave", () => this.events.hover(-1, 0, 0));
  }

  setScene(scene: Omit<Scene, "levels">): void {
    const sameTree = this.scene?.tree === scene.tree;
    const levels: Levels = sameTree ? this.scene!.levels : levelsOf(scene.tree);
    if (this.scene && this.scene.inverted !== scene.inverted) this.view.scroll = 0;
    this.scene = { ...scene, levels };
    this.firstDepth = scene.firstDepth;
    if (!sameTree) {
      this.selected = -1;
      this.view = { from: 0, to: scene.tree.total[0] || 1, scroll: 0, zoomedDepth: 0 };
    }
    this.redraw();
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.raster.resize(width, height);
    this.view = this.clamped(this.view);
    this.drawNow();
  }

  // The canvas shows the node over its whole width.
  zoomTo(node: number, animated: boolean): void {
    const tree = this.scene?.tree;
    if (!tree) return;
    const to = {
      from: tree.x[node],
      to: tree.x[node] + (tree.total[node] || 1),
      scroll: this.scrollShowing(node),
      zoomedDepth: tree.depth[node],
    };
    this.moveTo(to, animated);
  }

  select(node: number): void {
    this.selected = node;
    if (node >= 0) this.reveal(node);
    this.placeMark();
  }

  // Factor below 1 is closer; `at` is 0 (left) to 1 (right).
  scaleBy(factor: number, at = 0.5): void {
    const span = this.view.to - this.view.from;
    const fixed = this.view.from + span * at;
    const next = Math.max(span * factor, this.total() * fewestVisible);
    this.setView({ ...this.view, from: fixed - next * at, to: fixed + next * (1 - at) });
  }

  panBy(share: number): void {
    const step = (this.view.to - this.view.from) * share;
    this.setView({ ...this.view, from: this.view.from + step, to: this.view.to + step });
  }

  scrollBy(rows: number): void {
    this.setView({ ...this.view, scroll: this.view.scroll + rows * rowHeight });
  }

  window(): Window {
    return this.view;
  }

  currentScene(): Scene | null {
    return this.scene;
  }

  private total(): number {
    return this.scene?.tree.total[0] || 1;
  }

  private rows(): number {
    return (this.scene?.levels.length ?? 0) - this.firstDepth;
  }

  private clamped(view: Window): Window {
    const span = Math.min(view.to - view.from, this.total());
    const from = Math.min(Math.max(view.from, 0), this.total() - span);
    const mostScroll = Math.max(0, this.rows() * rowHeight - this.height);
    return { ...view, from, to: from + span, scroll: Math.min(Math.max(view.scroll, 0), mostScroll) };
  }

  private setView(view: Window): void {
    cancelAnimationFrame(this.animation);
    this.target = null;
    this.view = this.clamped(view);
    this.redraw();
  }

  private moveTo(target: Window, animated: boolean): void {
    cancelAnimationFrame(this.animation);
    const to = this.clamped(target);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!animated || calm) return this.setView(to);
    this.target = to;
    const from = this.view;
    const begin = performance.now();
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - begin) / animationMs));
      const eased = share * share * (3 - 2 * share);
      const between = (a: number, b: number) => a + (b - a) * eased;
      this.view = {
        ...to,
        from: between(from.from, to.from),
        to: between(from.to, to.to),
        scroll: between(from.scroll, to.scroll),
      };
      this.drawNow();
      if (share < 1) this.animation = requestAnimationFrame(step);
      else this.target = null;
    };
    this.animation = requestAnimationFrame(step);
  }

  // The scroll at which the node's row is inside the canvas.
  private scrollShowing(node: number): number {
    const { scroll } = this.target ?? this.view;
    if (this.height === 0) return scroll; // not on the page yet
    const row = (this.scene!.tree.depth[node] - this.firstDepth) * rowHeight;
    const most = row;
    const least = row + rowHeight - this.height;
    return Math.min(Math.max(scroll, least), most);
  }

  // Moves no farther than needed, and not at all when the node is in sight, or will be.
  private reveal(node: number): void {
    const { tree } = this.scene!;
    const now = this.target ?? this.view;
    const span = now.to - now.from;
    const [left, right] = [tree.x[node], tree.x[node] + tree.total[node]];
    const view = { ...now, scroll: this.scrollShowing(node) };
    const tooNarrow = (tree.total[node] / span) * this.width < 2;
    if (tooNarrow || right <= view.from || left >= view.to) {
      const next = tooNarrow ? Math.max(tree.total[node] * 4, this.total() * fewestVisible) : span;
      view.from = (left + right) / 2 - next / 2;
      view.to = view.from + next;
    }
    if (view.from !== now.from || view.scroll !== now.scroll) this.setView(view);
  }

  private redraw(): void {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.drawNow();
    });
  }

  private drawNow(): void {
    if (!this.scene || this.width === 0) return;
    this.raster.draw(this.scene, this.view);
    if (!this.drawn) performance.mark("drawn"); // for bench/web.mjs
    this.drawn = true;
    this.placeMark();
  }

  private placeMark(): void {
    const { mark, scene, selected, view } = this;
    const visible = scene && selected >= 0 && scene.tree.depth[selected] >= this.firstDepth;
    mark.hidden = !visible;
    if (!visible) return;
    const { tree } = scene;
    const perValue = this.width / (view.to - view.from);
    const left = Math.max((tree.x[selected] - view.from) * perValue, 0);
    const right = Math.min((tree.x[selected] + tree.total[selected] - view.from) * perValue, this.width);
    const row = (tree.depth[selected] - this.firstDepth) * rowHeight;
    const top = scene.inverted ? row - view.scroll : this.height - row - rowHeight + view.scroll;
    mark.style.transform = `translate(${left}px, ${top}px)`;
    mark.style.width = `${Math.max(right - left, 2)}px`;
    mark.hidden = right < 0 || left > this.width || top < -rowHeight || top > this.height;
  }

  private nodeAtPoint(x: number, y: number): number {
    if (!this.scene) return -1;
    const fromRoot = this.scene.inverted ? y + this.view.scroll : this.height - y + this.view.scroll;
    const depth = Math.floor(fromRoot / rowHeight) + this.firstDepth;
    const at = this.view.from + (x / this.width) * (this.view.to - this.view.from);
    return nodeUnder(this.scene.tree, this.scene.levels, depth, at);
  }

  private readonly onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 18 : 1;
    if (event.shiftKey) return this.scrollBy((Math.sign(event.deltaY || event.deltaX) * 3) * (this.scene?.inverted ? 1 : -1));
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.panBy((event.deltaX * lines) / this.width);
    this.scaleBy(Math.exp(event.deltaY * lines * 0.002), event.offsetX / this.width);
  };

  private readonly onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.offsetX, y: event.offsetY, view: this.view, moved: false, range: event.shiftKey };
  };

  private readonly onMove = (event: PointerEvent) => {
    const { drag } = this;
    if (!drag) {
      const node = this.nodeAtPoint(event.offsetX, event.offsetY);
      this.canvas.style.cursor = node >= 0 ? "pointer" : "default";
      return this.events.hover(node, event.clientX, event.clientY);
    }
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < clickSlack) return;
    drag.moved = true;
    this.events.hover(-1, 0, 0);
    if (drag.range) return this.showRange(drag.x, event.offsetX);
    this.canvas.style.cursor = "grabbing";
    const step = (-dx / this.width) * (drag.view.to - drag.view.from);
    const scroll = drag.view.scroll + (this.scene?.inverted ? -dy : dy);
    this.setView({ ...drag.view, from: drag.view.from + step, to: drag.view.to + step, scroll });
  };

  private readonly onUp = (event: PointerEvent) => {
    const { drag } = this;
    this.drag = null;
    this.range.hidden = true;
    if (!drag) return;
    if (drag.moved) {
      if (drag.range) this.zoomToRange(drag.x, event.offsetX);
      return;
    }
    const node = this.nodeAtPoint(event.offsetX, event.offsetY);
    if (node < 0) return;
    this.events.choose(node);
    this.events.zoom(node);
  };

  private showRange(a: number, b: number): void {
    this.range.hidden = false;
    this.range.style.transform = `translateX(${Math.min(a, b)}px)`;
    this.range.style.width = `${Math.abs(a - b)}px`;
  }

  private zoomToRange(a: number, b: number): void {
    const span = this.view.to - this.view.from;
    const at = (x: number) => this.view.from + (x / this.width) * span;
    this.moveTo({ ...this.view, from: at(Math.min(a, b)), to: at(Math.max(a, b)) }, true);
  }
}

// The frame beside, above or below a frame, for arrow keys; the frame itself where there is none.
export function neighbour(tree: Tree, levels: Levels, node: number, way: "left" | "right" | "in" | "out"): number {
  if (way === "out") return node === 0 ? 0 : tree.parent[node];
  if (way === "in") return widestChild(tree, node);
  const { node: level } = levels[tree.depth[node]];
  return level[level.indexOf(node) + (way === "left" ? -1 : 1)] ?? node;
}

function widestChild(tree: Tree, node: number): number {
  let best = node;
  let most = 0;
  for (let i = node + 1; i < tree.count && tree.depth[i] > tree.depth[node]; i++) {
    if (tree.parent[i] !== node || tree.total[i] <= most) continue;
    most = tree.total[i];
    best = i;
  }
  return best;
}
