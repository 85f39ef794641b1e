import { render } from "preact";
import { loadProfile } from "./data";
import "./style.css";

const profile = await_();
async function await_() {
  const p = await loadProfile(document.getElementById("profile")!.textContent!);
  render(<pre>{JSON.stringify({ ...p, nodes: p.nodes.count, rows: p.rows.node.length, functions: p.functions.name }, null, 1)}</pre>, document.getElementById("app")!);
}
void profile;
