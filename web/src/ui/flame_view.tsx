import { amountOf, percent } from "../format";
import { shortName } from "../short_name";
import { FlameCanvas } from "./flame_canvas";
import { actions, nameOf, useModel } from "./model";
import { pathOf } from "../tree";

export function FlameView() {
  const model = useModel();
  const { tree, functions, palette, found, state, type, whole } = model;
  if (whole === 0) return <p class="empty">Nothing is left to show: the filters took everything away. Press 0 to take them off.</p>;
  const scene = {
    tree,
    functions,
    palette,
    match: found?.match ?? null,
    inverted: state.inverted,
    rootName: "all",
    firstDepth: 0,
    bySelf: state.colour === "self",
  };
  return (
    <section class="view flame" aria-label="Flame graph">
      <Path />
      <FlameCanvas
        scene={scene}
        type={type}
        zoomed={model.zoomed}
        chosen={model.chosen}
        label={`Flame graph of ${amountOf(whole, type)}. Arrow keys move, Enter zooms; the table shows the same data.`}
        onChoose={model.choose}
        onZoom={(node) => actions.zoom(model, node)}
        controller={model.flame}
      />
    </section>
  );
}

// Where the zoom is, from the root.
function Path() {
  const model = useModel();
  const { tree, zoomed, whole } = model;
  if (zoomed === 0) return null;
  const nodes: number[] = [];
  for (let at = zoomed; at >= 0; at = tree.parent[at]) nodes.unshift(at);
  const shown = nodes.length > 7 ? [...nodes.slice(0, 2), -1, ...nodes.slice(-4)] : nodes;
  return (
    <nav class="path" aria-label="Zoom">
      {shown.map((node) =>
        node < 0 ? (
          <span class="dots">… {nodes.length - 6} more</span>
        ) : (
          <button onClick={() => actions.zoom(model, node)} aria-current={node === zoomed ? "location" : undefined}>
            <bdi title={nameOf(model, tree.fn[node])}>{shortName(nameOf(model, tree.fn[node]))}</bdi>
          </button>
        ),
      )}
      <span class="share">{percent(tree.total[zoomed], whole)} of all, depth {pathOf(tree, zoomed).length}</span>
    </nav>
  );
}
