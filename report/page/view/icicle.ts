/** Nested parts as rows of blocks: each block is as wide as its value, and its parts are below it. A block can become the whole width. */

import { largest } from "../model/largest.ts";
import { effect, onCleanup, type Readable, signal, untracked } from "../state/signals.ts";
import { button, h } from "./elements.ts";

/** What an icicle shows. The values of children sum to at most that of their parent. */
export interface IcicleOptions<Item> {
  label: string;
  roots: Readable<readonly Item[]>;
  key(item: Item): string;
  title(item: Item): string;
  /** What is said of a block beside its title. */
  about(item: Item): string;
  value(item: Item): number;
  children(item: Item): readonly Item[];
  colour(item: Item): string;
  /** Read in an effect. */
  isSelected(item: Item): boolean;
  onSelect(item: Item): void;
}

interface Block<Item> {
  item: Item;
  left: number;
  width: number;
  depth: number;
  parent: Block<Item> | null;
}

const ROW_HEIGHT = 26;
const MOST_ROWS = 12;
/** Narrower blocks are left out, and so is what is below them. */
const LEAST_WIDTH = 3;

/** Makes an icicle. Its effects end with the scope around. */
export function icicle<Item>(options: IcicleOptions<Item>): HTMLElement {
  const zoomed = signal<readonly Item[]>([]);
  const width = signal(0);
  const field = h("div", { class: "icicle-field" });
  const trail = h("nav", { class: "icicle-trail", "aria-label": "Opened module" });
  const element = h("div", { class: "icicle", role: "group", "aria-label": options.label }, trail, field);
  let blocks: Block<Item>[] = [];
  let active: string | null = null;

  const zoomTo = (path: readonly Item[]) => zoomed.value = path;
  const elementAt = (index: number) => field.children[index] as HTMLElement | undefined;
  const activate = (block: Block<Item> | undefined) => {
    if (!block) return;
    active = options.key(block.item);
    blocks.forEach((one, index) => elementAt(index)!.tabIndex = one === block ? 0 : -1);
    elementAt(blocks.indexOf(block))?.focus();
  };
  const pathOf = (block: Block<Item>): Item[] => {
    const inside: Item[] = [];
    for (let one: Block<Item> | null = block; one; one = one.parent) inside.unshift(one.item);
    // The first block is the innermost opened one already.
    return [...zoomed.peek().slice(0, -1), ...inside];
  };

  effect(() => {
    const roots = options.roots.value;
    // What is opened may be gone after a search or in another run.
    untracked(() => {
      const kept: Item[] = [];
      let level = roots;
      for (const item of zoomed.peek()) {
        const found = level.find((one) => options.key(one) === options.key(item));
        if (!found) break;
        kept.push(found);
        level = options.children(found);
      }
      zoomed.value = kept;
    });
  });
  effect(() => {
    const top = zoomed.value.at(-1);
    const roots = options.roots.value;
    blocks = layOut(top === undefined ? roots : [top], width.value, options);
    if (!blocks.some((one) => options.key(one.item) === active)) {
      active = blocks[0] ? options.key(blocks[0].item) : null;
    }
    field.style.setProperty("height", `${ROW_HEIGHT * Math.max(1, largest(blocks.map((one) => one.depth + 1)))}px`);
    const hadFocus = element.contains(document.activeElement);
    untracked(() => field.replaceChildren(...blocks.map(blockElement)));
    trail.hidden = top === undefined;
    trail.replaceChildren(...trailOf(zoomed.value));
    // The keyboard goes on from the block that has the place of the one before.
    if (hadFocus) field.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });
  effect(() => {
    options.roots.value;
    zoomed.value;
    width.value;
    blocks.forEach((block, index) =>
      elementAt(index)!.setAttribute("aria-pressed", String(options.isSelected(block.item)))
    );
  });

  function blockElement(block: Block<Item>): HTMLElement {
    const title = options.title(block.item);
    return button(block.width > 24 ? h("span", null, title) : "", () => {
      activate(block);
      options.onSelect(block.item);
    }, {
      class: "icicle-block",
      "aria-label": `${title}, ${options.about(block.item)}`,
      title: `${title}\n${options.about(block.item)}`,
      tabindex: options.key(block.item) === active ? 0 : -1,
      ondblclick: () => zoomTo(pathOf(block)),
      style: {
        left: `${block.left}px`,
        top: `${block.depth * ROW_HEIGHT}px`,
        width: `${Math.max(1, block.width - 1)}px`,
        "--hue": options.colour(block.item),
      },
    });
  }

  function trailOf(path: readonly Item[]): HTMLElement[] {
    const step = (text: string, to: readonly Item[]) => button(text, () => zoomTo(to), { class: "link" });
    return [
      step("All", []),
      ...path.flatMap((item, index) => [
        h("span", { "aria-hidden": true }, " › "),
        index === path.length - 1
          ? h("span", { "aria-current": "true" }, options.title(item))
          : step(options.title(item), path.slice(0, index + 1)),
      ]),
    ];
  }

  field.addEventListener("keydown", (event) => {
    const index = [...field.children].indexOf(event.target as HTMLElement);
    const block = blocks[index];
    if (!block) return;
    const row = blocks.filter((one) => one.depth === block.depth);
    switch (event.key) {
      case "ArrowRight":
        activate(row[row.indexOf(block) + 1]);
        break;
      case "ArrowLeft":
        activate(row[row.indexOf(block) - 1]);
        break;
      case "ArrowDown":
        activate(blocks.find((one) => one.parent === block));
        break;
      case "ArrowUp":
        activate(block.parent ?? undefined);
        break;
      case "Enter":
        options.onSelect(block.item);
        zoomTo(pathOf(block));
        break;
      case "Escape":
      case "Backspace":
        zoomTo(zoomed.peek().slice(0, -1));
        break;
      default:
        return;
    }
    event.preventDefault();
  });
  const resized = new ResizeObserver(() => width.value = field.clientWidth);
  resized.observe(field);
  onCleanup(() => resized.disconnect());
  return element;
}

function layOut<Item>(roots: readonly Item[], width: number, options: IcicleOptions<Item>): Block<Item>[] {
  const blocks: Block<Item>[] = [];
  const place = (items: readonly Item[], left: number, scale: number, depth: number, parent: Block<Item> | null) => {
    if (depth >= MOST_ROWS) return;
    for (const item of items) {
      const size = options.value(item) * scale;
      if (size >= LEAST_WIDTH) {
        const block = { item, left, width: size, depth, parent };
        blocks.push(block);
        place(options.children(item), left, scale, depth + 1, block);
      }
      left += size;
    }
  };
  const total = roots.reduce((sum, item) => sum + options.value(item), 0);
  if (total > 0) place(roots, 0, width / total, 0, null);
  return blocks;
}
