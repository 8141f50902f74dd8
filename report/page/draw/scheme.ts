/** Which colours are in use. */
import { effect, onCleanup, type Readable, signal } from "../state/signals.ts";
import type { State } from "../state/state.ts";
import { DARK, FORCED, LIGHT, type Palette } from "./colours.ts";

/** The palette in use, which follows the choice of the user and the system. */
export function schemePalette(state: State): Readable<Palette> {
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
