// The report: decodes the profile that stands in the page, then shows it.
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import { loadProfile } from "./data";
import { fromFragment } from "./permalink";
import { initialState, Store } from "./state";
import "./style.css";
import { App } from "./ui/app";

const place = document.getElementById("app")!;

async function start(): Promise<void> {
  const element = document.getElementById("profile")!;
  const profile = await loadProfile(element.textContent ?? "");
  element.remove(); // it is decoded: its text is only in the way
  const initial = initialState(profile);
  const store = new Store(fromFragment(location.hash, initial, profile.values.length), initial);
  place.replaceChildren(); // "Opening the report…"
  render(<App profile={profile} store={store} />, place);
}

start().catch((error: unknown) => {
  place.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
});
