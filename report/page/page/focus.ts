/** Keeps the focus in the page where the element that had it is gone. */

/**
 * After each press: where the element that had the focus is no longer shown, such as a button that clears what it is about, `fallback` gets the focus. Else
 * the keyboard would begin again at the top of the document.
 */
export function keepFocus(fallback: HTMLElement): void {
  let last: EventTarget | null = null;
  document.addEventListener("focusin", (event) => last = event.target);
  const look = () =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body || !(last instanceof Element)) return;
      if (!last.isConnected || !last.checkVisibility()) fallback.focus({ preventScroll: true });
    });
  for (const type of ["click", "keydown", "change"]) document.addEventListener(type, look);
}
