/** A tree of which closed branches have no elements: the ARIA pattern `tree`. */

import { effect, type Readable, signal, untracked } from "../state/signals.ts";
import { append, type Child, h, setAttribute } from "./elements.ts";

/** What a tree shows. */
export interface TreeOptions<Item> {
  label: string;
  roots: Readable<readonly Item[]>;
  key(item: Item): string;
  children(item: Item): readonly Item[];
  /** What the row of an item shows. */
  row(item: Item): Child;
  /** Read in an effect. */
  isSelected(item: Item): boolean;
  onSelect(item: Item): void;
  /** Items that are open at first. */
  open?: Iterable<string>;
}

/** A tree. */
export interface Tree {
  element: HTMLElement;
  /** Opens items. */
  open(keys: Iterable<string>): void;
}

interface Row<Item> {
  item: Item;
  level: number;
  parent: string | null;
}

/** Makes a tree. Its effects end with the scope around. */
export function tree<Item>(options: TreeOptions<Item>): Tree {
  const opened = signal<ReadonlySet<string>>(new Set(options.open));
  const element = h("div", { role: "tree", class: "tree", "aria-label": options.label });
  let rows: Row<Item>[] = [];
  let active: string | null = null;

  const walk = (items: readonly Item[], level: number, parent: string | null) => {
    for (const item of items) {
      const key = options.key(item);
      rows.push({ item, level, parent });
      if (opened.value.has(key)) walk(options.children(item), level + 1, key);
    }
  };
  const setOpen = (key: string, open: boolean) => {
    const next = new Set(opened.peek());
    if (open) next.add(key);
    else next.delete(key);
    opened.value = next;
  };
  const elementOf = (key: string | null): HTMLElement | null => {
    const index = rows.findIndex((row) => options.key(row.item) === key);
    return (element.children[index] as HTMLElement | undefined) ?? null;
  };
  const activate = (key: string) => {
    active = key;
    for (const one of element.querySelectorAll<HTMLElement>('[tabindex="0"]')) one.tabIndex = -1;
    const row = elementOf(key);
    if (row) row.tabIndex = 0;
    row?.focus();
  };

  effect(() => {
    rows = [];
    walk(options.roots.value, 1, null);
    const hadFocus = element.contains(document.activeElement);
    if (!rows.some((row) => options.key(row.item) === active)) active = rows[0] ? options.key(rows[0].item) : null;
    element.replaceChildren(...untracked(() => rows.map(({ item, level }, index) => rowElement(item, level, index))));
    if (hadFocus) elementOf(active)?.focus();
  });
  effect(() => {
    opened.value;
    options.roots.value;
    rows.forEach((row, index) => setAttribute(element.children[index]!, "aria-selected", options.isSelected(row.item)));
  });

  function rowElement(item: Item, level: number, index: number): HTMLElement {
    const key = options.key(item);
    const branch = options.children(item).length > 0;
    const isOpen = opened.peek().has(key);
    const row = h("div", {
      role: "treeitem",
      class: "tree-row",
      "aria-level": level,
      "aria-expanded": branch ? isOpen : undefined,
      "aria-selected": options.isSelected(item),
      tabindex: key === active ? 0 : -1,
      "data-index": index,
      style: { "--level": String(level) },
    }, h("span", { class: "tree-arrow", "aria-hidden": true }, branch ? (isOpen ? "▾" : "▸") : ""));
    append(row, options.row(item));
    return row;
  }

  const at = (event: Event): Row<Item> | undefined => {
    const row = (event.target as Element).closest<HTMLElement>("[data-index]");
    return row ? rows[Number(row.dataset["index"])] : undefined;
  };
  element.addEventListener("click", (event) => {
    const row = at(event);
    if (!row) return;
    const key = options.key(row.item);
    if ((event.target as Element).classList.contains("tree-arrow")) setOpen(key, !opened.peek().has(key));
    activate(key);
    options.onSelect(row.item);
  });
  element.addEventListener("dblclick", (event) => {
    const row = at(event);
    if (row) setOpen(options.key(row.item), !opened.peek().has(options.key(row.item)));
  });
  element.addEventListener("keydown", (event) => {
    const row = at(event);
    if (!row) return;
    const key = options.key(row.item), index = rows.indexOf(row);
    const isOpen = opened.peek().has(key), branch = options.children(row.item).length > 0;
    const go = (to: number) => {
      const next = rows[to];
      if (next) activate(options.key(next.item));
    };
    switch (event.key) {
      case "ArrowDown":
        go(index + 1);
        break;
      case "ArrowUp":
        go(index - 1);
        break;
      case "Home":
        go(0);
        break;
      case "End":
        go(rows.length - 1);
        break;
      case "ArrowRight":
        if (branch && !isOpen) setOpen(key, true);
        else if (branch) go(index + 1);
        break;
      case "ArrowLeft":
        if (isOpen && branch) setOpen(key, false);
        else if (row.parent !== null) activate(row.parent);
        break;
      case "Enter":
      case " ":
        options.onSelect(row.item);
        break;
      default:
        return;
    }
    event.preventDefault();
  });
  return { element, open: (keys) => opened.value = new Set([...opened.peek(), ...keys]) };
}
