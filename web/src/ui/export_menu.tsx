import { calleesOf, callersOf } from "../derive";
import { download, flameSvg, foldedText, graphSvg, type Picture } from "../export";
import { levelsOf } from "../flame/levels";
import type { Tree } from "../tree";
import { Menu } from "./menu";
import { useModel, type Model } from "./model";

export function ExportMenu() {
  const model = useModel();
  return (
    <Menu id="export" label="Export" title="Export the current view (e)">
      {(close) => (
        <ul class="choices">
          <li><button id="export-svg" onClick={() => { exportSvg(model); close(); }}>Picture (SVG)</button></li>
          <li><button id="export-folded" onClick={() => { exportFolded(model); close(); }}>Folded stacks</button></li>
          <li><button id="copy-link" onClick={() => { void copyLink(model); close(); }}>Copy link to this view</button></li>
        </ul>
      )}
    </Menu>
  );
}

function fileName(model: Model, ending: string): string {
  return `${model.profile.title.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase() || "profile"}.${ending}`;
}

export function exportFolded(model: Model): void {
  download(fileName(model, "folded"), "text/plain", foldedText(model.tree, model.functions, model.zoomed));
}

export function exportSvg(model: Model): void {
  const graph = document.querySelector<SVGSVGElement>("#graph");
  const { palette } = model;
  const svg = graph
    ? graphSvg(graph, palette.dark ? "#16181c" : "#ffffff", palette.text)
    : flameSvg(model.profile.title, picturesOf(model));
  download(fileName(model, "svg"), "image/svg+xml", svg);
}

function picturesOf(model: Model): Picture[] {
  const { tree, keys, state } = model;
  const fn = keys.indexOf(state.fn);
  if (state.view === "sandwich" && fn >= 0)
    return [
      pictureOf(model, callersOf(tree, fn, state.side), false, 1),
      pictureOf(model, calleesOf(tree, fn, state.side), true, 1),
    ];
  return [pictureOf(model, tree, state.inverted, 0)];
}

function pictureOf(model: Model, tree: Tree, inverted: boolean, firstDepth: number): Picture {
  const { functions, palette, found } = model;
  const whole = { from: 0, to: tree.total[0] || 1, scroll: 0, zoomedDepth: 0 };
  return {
    scene: { tree, levels: levelsOf(tree), functions, palette, match: found?.match ?? null, inverted, rootName: "all", firstDepth, bySelf: model.state.colour === "self" },
    view: firstDepth === 0 ? (model.flame.current?.window() ?? whole) : whole,
  };
}

async function copyLink(model: Model): Promise<void> {
  await navigator.clipboard.writeText(location.href).catch(() => undefined);
  model.say("Copied the link");
}
