/** A text beside the pointer. */
import { append, type Child, setStyle } from "../../view/elements.ts";

/** Shows `content` near a place of `surface`, within the window. */
export function showTip(
  tip: HTMLElement,
  content: Child,
  surface: HTMLElement,
  x: number,
  y: number,
): void {
  tip.replaceChildren();
  append(tip, content);
  tip.hidden = false;
  const inside = surface.getBoundingClientRect();
  const left = inside.left + x, top = inside.top + y;
  const { offsetWidth: width, offsetHeight: height } = tip;
  const isBelow = top + 18 + height < innerHeight;
  setStyle(tip, {
    left: `${Math.max(4, Math.min(left + 12, innerWidth - width - 6))}px`,
    top: `${isBelow ? top + 18 : Math.max(4, top - height - 12)}px`,
  });
}
