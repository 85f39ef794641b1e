// Where the profile comes from, how much it holds, and what it lacks.
import { duration, whole } from "../format";
import { Kind, kindNames, type Profile } from "../profile";
import { cssOf, kindColour } from "../palette";
import { useMemo } from "preact/hooks";
import { useModel } from "./model";

export function Footer() {
  const { profile, palette } = useModel();
  const { info } = profile;
  const samples = useMemo(() => countOf(profile), [profile]);
  const kinds = useMemo(() => [...new Set(profile.functions.kind)].filter((kind) => kind < Kind.task).sort(), [profile]);
  const losses = info.losses.filter((loss) => loss.count > 0);
  // A period of 1 is that of times, which are all there: nothing was sampled.
  const rate = info.period > 1 && info.periodUnit === "nanoseconds" ? `${Math.round(1e9 / info.period)} Hz` : "";
  const facts: [string, string][] = [
    ["Command", info.command],
    ["Host", info.host],
    ["Kernel", info.kernel],
    ["Time", info.startMs ? new Date(info.startMs).toISOString().replace("T", " ").slice(0, 19) + " UTC" : ""],
    ["Length", info.durationNs ? duration(info.durationNs) : ""],
    ["Samples", [samples, rate && `at ${rate}`, info.cpus && `on ${info.cpus} CPUs`].filter(Boolean).join(" ")],
  ];
  return (
    <footer>
      <dl>
        {facts.filter(([, text]) => text).map(([label, text]) => (
          <div title={`${label}: ${text}`}><dt>{label}</dt><dd><bdi>{text}</bdi></dd></div>
        ))}
        <div class={losses.length > 0 ? "losses some" : "losses"}>
          <dt>Lost or not whole</dt>
          <dd>{losses.length === 0 ? "nothing" : losses.map((loss) => `${loss.cause}: ${whole(loss.count)}`).join("; ")}</dd>
        </div>
        {profile.negativeValues > 0 && (
          <div class="losses some"><dt>Negative values</dt><dd>{whole(profile.negativeValues)}, shown as 0</dd></div>
        )}
      </dl>
      {profile.differential ? (
        <ul class="legend" aria-label="Colours">
          <li><i style={{ background: cssOf(palette.changes[2]) }} />less</li>
          <li><i style={{ background: cssOf(palette.changes[8]) }} />same</li>
          <li><i style={{ background: cssOf(palette.changes[14]) }} />more</li>
          <li>✚ new</li>
          <li>✖ vanished</li>
        </ul>
      ) : (
        <ul class="legend" aria-label="Colours">
          {kinds.map((kind) => <li><i style={{ background: cssOf(kindColour(kind, palette.dark)) }} />{kindNames[kind]}</li>)}
        </ul>
      )}
    </footer>
  );
}

// The value that counts samples, where there is one.
function countOf(profile: Profile): string {
  const sum = (value: number) => Float64Array.from(profile.rows.values[value]).reduce((a, b) => a + b, 0);
  if (profile.differential) return `${whole(sum(0))} before, ${whole(sum(1))} after`;
  const at = profile.values.findIndex(({ type, unit }) => type === "samples" && unit === "count");
  return at < 0 ? "" : whole(sum(at));
}
