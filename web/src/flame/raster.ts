// Draws the visible part of a tree: one scanline a level into ImageData, copied down to the row's height,
// and text on what is wide enough. The cost is that of the pixels, not of the nodes: where frames are
// narrower than a pixel, a binary search jumps to the next one.
import { changeShade, type Palette } from "../palette";
import { Kind, type Functions } from "../profile";
import type { Tree } from "../tree";
import { shortName } from "../short_name";
import { firstEndingAfter, type Levels } from "./levels";

export interface Scene {
  tree: Tree;
  levels: Levels;
  functions: Functions;
  palette: Palette;
  match: Uint8Array | null; // by function, while something is searched for
  inverted: boolean; // the root on top
  rootName: string;
  bySelf: boolean; // a difference is coloured by self instead of total
  firstDepth: number; // what stands below it is not drawn
}

export interface Window {
  from: number; // in the tree's values
  to: number;
  scroll: number; // CSS pixels from the root's end
  zoomedDepth: number; // what stands below it over the whole width is only where one came from
}

export const rowHeight = 18;
const textFrom = 26;
const font = "11.5px ui-sans-serif, system-ui, sans-serif";

interface LabelSpot {
  x: number;
  y: number;
  width: number;
  node: number;
}

export class Raster {
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private scale = 1;
  private textWidths = new Map<string, number>();

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { alpha: false, willReadFrequently: true })!;
  }

  // In CSS pixels.
  resize(width: number, height: number): void {
    this.scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(width * this.scale));
    this.canvas.height = Math.max(1, Math.round(height * this.scale));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.image = new ImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  draw(scene: Scene, view: Window): void {
    if (!this.image) return;
    this.pixels.fill(scene.palette.background);
    const spots: LabelSpot[] = [];
    for (let depth = scene.firstDepth; depth < scene.levels.length; depth++) this.drawLevel(scene, view, depth, spots);
    this.context.putImageData(this.image, 0, 0);
    this.drawLabels(scene, spots);
  }

  // Top of a level's row, in device pixels.
  private rowTop(scene: Scene, view: Window, depth: number): number {
    const row = Math.round(rowHeight * this.scale);
    const scroll = Math.round(view.scroll * this.scale);
    const at = (depth - scene.firstDepth) * row;
    return scene.inverted ? at - scroll : this.canvas.height - at - row + scroll;
  }

  private drawLevel(scene: Scene, view: Window, depth: number, spots: LabelSpot[]): void {
    const { tree } = scene;
    const width = this.canvas.width;
    const row = Math.round(rowHeight * this.scale);
    const top = this.rowTop(scene, view, depth);
    if (top + row <= 0 || top >= this.canvas.height) return;
    const lineTop = Math.max(top, 0);
    const base = lineTop * width;
    const perValue = width / (view.to - view.from);
    const level = scene.levels[depth];
    const count = level.node.length;
    let at = firstEndingAfter(level, view.from);
    let any = false;
    while (at < count) {
      const node = level.node[at];
      const left = (tree.x[node] - view.from) * perValue;
      if (left >= width) break;
      const right = (level.end[at] - view.from) * perValue;
      const begin = left < 0 ? 0 : left | 0;
      const end = right > width ? width : Math.max(begin + 1, right | 0);
      const colour = this.colour(scene, node);
      if (end - begin === 1) this.pixels[base + begin] = colour;
      else this.pixels.fill(depth < view.zoomedDepth && end - begin === width ? faded(colour, scene.palette.background) : colour, base + begin, base + end);
      if (end - begin > 3) this.pixels[base + end - 1] = scene.palette.background;
      if (end - begin > textFrom * this.scale) spots.push({ x: begin, y: top, width: end - begin, node });
      any = true;
      at++;
      if (right - left < 1 && at < count) at = firstEndingAfter(level, view.from + end / perValue, at);
    }
    if (!any) return;
    const lastLine = Math.min(top + row - 1, this.canvas.height); // the line below stays free
    for (let y = lineTop + 1; y < lastLine; y++) this.pixels.copyWithin(y * width, base, base + width);
  }

  private colour(scene: Scene, node: number): number {
    const { tree, palette, match } = scene;
    const fn = tree.fn[node];
    if (match) return fn >= 0 && match[fn] ? palette.match : palette.dimmed;
    if (tree.diff) return palette.changes[changeShade(tree.diff, node, scene.bySelf)];
    return fn < 0 ? palette.root : palette.frame[fn];
  }

  private drawLabels(scene: Scene, spots: LabelSpot[]): void {
    const { context, scale } = this;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = font;
    context.textBaseline = "middle";
    for (const { x, y, width, node } of spots) {
      const fn = scene.tree.fn[node];
      context.fillStyle = scene.match && fn >= 0 && scene.match[fn] ? scene.palette.matchText : scene.palette.text;
      const room = width / scale - 8;
      const text = this.fitted(labelOf(scene, node), room, fn >= 0 && scene.functions.kind[fn] !== Kind.task);
      if (text) context.fillText(text, x / scale + 4, y / scale + rowHeight / 2, room + 4);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  private fitted(text: string, room: number, shorten: boolean): string {
    let width = this.textWidths.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      this.textWidths.set(text, width);
    }
    if (width <= room) return text;
    const short = shorten ? shortName(text) : text;
    if (short !== text) return this.fitted(short, room, false);
    const characters = Math.floor((room / width) * text.length) - 1;
    return characters < 2 ? "" : firstCharacters(text, characters) + "…";
  }
}

// Half way to the background.
function faded(colour: number, background: number): number {
  return (((colour >>> 1) & 0x7f7f7f7f) + ((background >>> 1) & 0x7f7f7f7f)) | 0xff000000;
}

// Half of a surrogate pair is no character.
export function firstCharacters(text: string, count: number): string {
  const code = text.charCodeAt(count - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? count - 1 : count);
}

export function labelOf(scene: Scene, node: number): string {
  const { tree, functions } = scene;
  if (tree.fn[node] < 0) return scene.rootName;
  const name = functions.name[tree.fn[node]];
  if (!tree.diff) return name;
  if (tree.diff.before[node] === 0) return `✚ ${name}`;
  return tree.diff.after[node] === 0 ? `✖ ${name}` : name;
}
