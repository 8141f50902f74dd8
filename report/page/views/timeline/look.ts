/** Colours and texts of the events of a run. */
import { DARK, FORCED, hueOf, hueOfCause, HUES, LIGHT, mix, type Palette } from "../../draw/colours.ts";
import { effect, onCleanup, type Readable, signal } from "../../state/signals.ts";
import type { State } from "../../state/state.ts";
import type { Look } from "./painter.ts";
import { EVENT_KINDS, type FilteredRows, type TimelineData } from "./timeline_data.ts";

/** Hues of kinds of events of the host, which are paler than those of the device; others have the colour of the host. */
const HOST_HUES: Readonly<Record<string, (palette: Palette) => string>> = {
  annotation: (palette) => mix(palette.accent, palette.background, 0.35),
  "device-annotation": (palette) => mix(palette.accent, palette.background, 0.35),
  "module-frame": (palette) => mix(palette.hues.reduction, palette.background, 0.4),
  runtime: (palette) => mix(palette.hues.recurrent, palette.background, 0.6),
  synchronization: (palette) => mix(palette.hues.attention, palette.background, 0.6),
};

/** The colours in use, which follow the choice of the user and the system. */
export function paletteOf(state: State): Readable<Palette> {
  const palette = signal<Palette>(LIGHT);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const forced = matchMedia("(forced-colors: active)");
  const update = (): void => {
    const scheme = state.scheme.peek();
    const isDark = scheme === "auto" ? dark.matches : scheme === "dark";
    palette.value = forced.matches ? FORCED : isDark ? DARK : LIGHT;
  };
  for (const query of [dark, forced]) query.addEventListener("change", update);
  onCleanup(() => {
    for (const query of [dark, forced]) query.removeEventListener("change", update);
  });
  effect(() => {
    void state.scheme.value;
    update();
  });
  return palette;
}

/** The look of events: `rows` has those that pass search and filters, `marked` those of what is selected elsewhere. */
export function lookOf(
  data: TimelineData,
  palette: Palette,
  rows: FilteredRows | null,
  marked: FilteredRows | null,
): Look {
  const causes = data.run.meta.causes;
  const hosts = EVENT_KINDS.map((kind) => HOST_HUES[kind]?.(palette) ?? palette.host);
  const bases = [
    ...HUES.map((hue) => palette.hues[hue]),
    ...hosts,
    ...causes.map((cause) => palette.hues[hueOfCause(cause)]),
  ];
  const hues = Uint8Array.from(data.categories, (category) => HUES.indexOf(hueOf(category)));
  const causeBase = HUES.length + hosts.length;
  return {
    palette,
    bases,
    baseOf: (content, event) => {
      if (content === "event") return hues[data.categoryOf[event] ?? 0] ?? 0;
      if (content === "node") return hues[data.categoryOf[data.opened.peek()?.event ?? 0] ?? 0] ?? 0;
      if (content === "idle") return causeBase + (data.run.idle?.cause[event] ?? 0);
      return HUES.length + (data.run.host?.kind[event] ?? 0);
    },
    labelOf: (content, event) => data.labelOf({ content, event }),
    passing: (row, content) => rows === null ? row : rows.of(row, content),
    marked: (row, content) => marked === null || content !== "event" ? undefined : marked.of(row, content),
  };
}
