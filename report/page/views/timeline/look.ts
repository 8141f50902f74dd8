/** Colours and texts of the events of a run. */
import { hueOfCause, HUES, mix, type Palette } from "../../draw/colours.ts";
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

/** The look of events: `rows` has those that pass search and filters, `marked` those of what is selected elsewhere. */
export function lookOf(
  data: TimelineData,
  palette: Palette,
  rows: FilteredRows | null,
  marked: FilteredRows | null,
): Look {
  const causes = data.run.meta.causes;
  const hosts = EVENT_KINDS.map((kind) => HOST_HUES[kind]?.(palette) ?? palette.host);
  // In the order of the bases of events.
  const bases = [
    ...HUES.map((hue) => palette.hues[hue]),
    ...hosts,
    ...causes.map((cause) => palette.hues[hueOfCause(cause)]),
  ];
  return {
    palette,
    bases,
    labelOf: (content, event) => data.labelOf({ content, event }),
    passing: (row, content) => rows === null ? row : rows.of(row, content),
    marked: (row, content) => marked === null || content !== "event" ? undefined : marked.of(row, content),
  };
}
