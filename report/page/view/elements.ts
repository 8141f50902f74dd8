/** Elements of text nodes and properties only: the page's policy forbids markup from strings. */

import { effect } from "../state/signals.ts";

/** What an element may contain; null, undefined and false are nothing. A function is run again when what it read changes. */
export type Child = Node | string | number | null | undefined | false | readonly Child[];

type Value = string | number | boolean | null | undefined;

/**
 * Attributes by name. A boolean is `true` or `false` where the name begins with `aria-`, else the attribute is there or not. A function is run again when
 * what it read changes. `class` is the class, `style` has properties of the style, and a function whose name begins with `on` listens to an event.
 */
export interface Props {
  [name: string]: Value | (() => Value) | ((event: never) => void) | Record<string, string | null>;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props?: Props | null,
  ...children: (Child | (() => Child))[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), props, children);
}

/** An element of SVG. */
export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  props?: Props | null,
  ...children: (Child | (() => Child))[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill<E extends Element>(element: E, props: Props | null | undefined, children: (Child | (() => Child))[]): E {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2).toLowerCase(), value as EventListener);
    } else if (typeof value === "function") {
      effect(() => setAttribute(element, name, (value as () => Value)()));
    } else if (typeof value === "object" && value !== null) {
      setStyle(element as unknown as HTMLElement, value);
    } else {
      setAttribute(element, name, value);
    }
  }
  for (const child of children) {
    if (typeof child === "function") bindChildren(element, child);
    else append(element, child);
  }
  return element;
}

/** Sets an attribute, or removes it for null, undefined and false. */
export function setAttribute(element: Element, name: string, value: Value): void {
  if (name.startsWith("aria-") && typeof value === "boolean") value = String(value);
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Sets properties of the style, which the policy allows where it forbids the attribute. */
export function setStyle(element: HTMLElement | SVGElement, style: Record<string, string | null>): void {
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
}

/** Appends children. */
export function append(element: Element, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) {
    for (const one of child as readonly Child[]) append(element, one);
  } else {
    element.append(child as Node | string);
  }
}

/** Replaces all children now and whenever what `children` reads changes, between two marks of its own. */
function bindChildren(element: Element, children: () => Child): void {
  const end = document.createComment("");
  element.append(end);
  let nodes: Node[] = [];
  effect(() => {
    const made = document.createDocumentFragment();
    const holder = document.createElement("div");
    append(holder, children());
    made.append(...holder.childNodes);
    const next = [...made.childNodes];
    for (const node of nodes) element.removeChild(node);
    element.insertBefore(made, end);
    nodes = next;
  });
}

/** A text in which parts between backticks are code. */
export function prose(text: string): Child {
  // No line begins with a sign of per cent.
  const parts = text.replaceAll(" %", "\u00a0%").split("`");
  // An unmatched backtick is one.
  if (parts.length % 2 === 0) return parts.join("`");
  return parts.map((part, place) => place % 2 === 1 ? h("code", null, part) : part);
}

/** A sentence with a capital letter at its beginning. */
export const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A name that may be broken behind what divides its parts, rather than anywhere. */
export function breakable(name: string): Child {
  if (name.length < 16) return name;
  return name.split(/(?<=[./_:,])(?=[^./_:,])/).flatMap((part, place) => place === 0 ? [part] : [h("wbr"), part]);
}

let lastId = 0;

/** An id that no other element has. */
export function newId(prefix: string): string {
  return `${prefix}-${++lastId}`;
}

/** A button. */
export function button(text: Child | (() => Child), onclick: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", onclick, ...props }, text);
}
