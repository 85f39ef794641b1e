// The current view as a file: folded stacks for other tools, or a picture.
import { labelOf, rowHeight, firstCharacters, type Scene, type Window } from "./flame/raster";
import { changeShade, cssOf } from "./palette";
import type { Functions } from "./profile";
import { endOf, pathOf, type Tree } from "./tree";

export function download(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A line a node that has a value of its own; two numbers in a differential profile.
export function foldedText(tree: Tree, functions: Functions, from: number): string {
  // What would read as the end of a frame or of a line.
  const clean = functions.name.map((name) => name.replace(/;/g, ":").replace(/\n/g, " "));
  const lines: string[] = [];
  const end = endOf(tree, from);
  for (let i = Math.max(from, 1); i < end; i++) {
    const values = tree.diff ? [tree.diff.beforeSelf[i], tree.diff.afterSelf[i]] : [tree.self[i]];
    if (values.every((value) => value === 0)) continue;
    const path = pathOf(tree, i).map((fn) => clean[fn]);
    lines.push(`${path.join(";")} ${values.map((value) => Math.round(value)).join(" ")}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

export interface Picture {
  scene: Omit<Scene, "match"> & { match: Uint8Array | null };
  view: Window;
}

const xml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u001f\u007f]/g, "?");
const pictureWidth = 1200;
const narrowest = 0.3;
const headHeight = 34;

// Several pictures stand below one another: a sandwich has two.
export function flameSvg(title: string, pictures: Picture[]): string {
  let top = headHeight;
  const parts: string[] = [];
  for (const picture of pictures) {
    const rows = rowsOf(picture);
    parts.push(`<g transform="translate(0,${top})">${frames(picture, rows)}</g>`);
    top += rows * rowHeight + 10;
  }
  const { palette } = pictures[0].scene;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${top}" viewBox="0 0 ${pictureWidth} ${top}" font-family="system-ui,sans-serif" font-size="11.5">` +
    `<rect width="100%" height="100%" fill="${cssOf(palette.background)}"/>` +
    `<text x="8" y="22" font-size="15" fill="${palette.text}">${xml(title)}</text>${parts.join("\n")}</svg>\n`
  );
}

function visible({ scene: { tree }, view }: Picture, node: number): boolean {
  return tree.total[node] > 0 && tree.x[node] < view.to && tree.x[node] + tree.total[node] > view.from;
}

function rowsOf(picture: Picture): number {
  const { tree, firstDepth } = picture.scene;
  let deepest = 0;
  for (let i = 0; i < tree.count; i++) if (tree.depth[i] > deepest && visible(picture, i)) deepest = tree.depth[i];
  return deepest + 1 - firstDepth;
}

function frames(picture: Picture, rows: number): string {
  const { scene, view } = picture;
  const { tree, palette } = scene;
  const perValue = pictureWidth / (view.to - view.from);
  const out: string[] = [];
  for (let i = 0; i < tree.count; i++) {
    if (tree.depth[i] < scene.firstDepth || !visible(picture, i)) continue;
    const left = Math.max((tree.x[i] - view.from) * perValue, 0);
    const right = Math.min((tree.x[i] + tree.total[i] - view.from) * perValue, pictureWidth);
    if (right - left < narrowest) continue;
    const row = tree.depth[i] - scene.firstDepth;
    const y = (scene.inverted ? row : rows - 1 - row) * rowHeight;
    const fn = tree.fn[i];
    const matched = scene.match && fn >= 0 && scene.match[fn];
    const colour = matched ? palette.match : tree.diff ? palette.changes[changeShade(tree.diff, i, scene.bySelf)] : fn < 0 ? palette.root : palette.frame[fn];
    const name = labelOf(scene, i);
    out.push(`<g><title>${xml(name)}</title><rect x="${left.toFixed(1)}" y="${y}" width="${Math.max(right - left - 0.5, 0.3).toFixed(1)}" height="${rowHeight - 1}" fill="${cssOf(colour)}"/>`);
    const room = Math.floor((right - left - 8) / 6.2);
    if (room > 2) {
      const text = name.length <= room ? name : `${firstCharacters(name, room - 1)}…`;
      out.push(`<text x="${(left + 4).toFixed(1)}" y="${y + 12.5}" fill="${matched ? palette.matchText : palette.text}">${xml(text)}</text>`);
    }
    out.push("</g>");
  }
  return out.join("");
}

// The page's own drawing, with the colours its style sheet gives it.
export function graphSvg(element: SVGSVGElement, background: string, ink: string): string {
  const copy = element.cloneNode(true) as SVGSVGElement;
  const { width, height } = element.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(Math.round(width)));
  copy.setAttribute("height", String(Math.round(height)));
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `svg{background:${background};font-family:system-ui,sans-serif}text{fill:${ink}}.edge path{fill:none;stroke:${ink};stroke-opacity:.45}.edge text{font-size:9px}.residual path{stroke-dasharray:2 3}.arrow{fill:${ink};stroke:none}`;
  copy.prepend(style);
  return new XMLSerializer().serializeToString(copy);
}
