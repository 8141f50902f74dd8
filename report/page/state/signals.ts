/** Values that tell what depends on them when they change. A computed value is made when it is read, and kept until what it read changes. */

/** A value that can be read in a computation, which then depends on it. */
export interface Readable<T> {
  readonly value: T;
  /** The value without a dependency on it. */
  peek(): T;
}

/** A value that can be written. Writing the same value is no change. */
export interface Signal<T> extends Readable<T> {
  value: T;
}

type Cleanup = () => void;

/** Something that reads signals. */
interface Observer {
  sources: Set<Source>;
  changed(): void;
}

/** Something that observers depend on. */
interface Source {
  observers: Set<Observer>;
}

let current: Observer | null = null;
let owned: Cleanup[] | null = null;
let depth = 0;
const pending = new Set<Effect>();

function track(source: Source): void {
  if (!current) return;
  source.observers.add(current);
  current.sources.add(source);
}

function release(observer: Observer): void {
  for (const source of observer.sources) source.observers.delete(observer);
  observer.sources.clear();
}

function observe<T>(observer: Observer | null, run: () => T): T {
  const before = current;
  current = observer;
  try {
    return run();
  } finally {
    current = before;
  }
}

/** A signal with a first value. */
export function signal<T>(first: T): Signal<T> {
  let held = first;
  const source: Source = { observers: new Set() };
  return {
    get value() {
      track(source);
      return held;
    },
    set value(next: T) {
      if (Object.is(next, held)) return;
      held = next;
      batch(() => {
        for (const observer of [...source.observers]) observer.changed();
      });
    },
    peek: () => held,
  };
}

/** A value that is computed from others. `compute` must not write signals. */
export function computed<T>(compute: () => T): Readable<T> {
  let held: T;
  let stale = true;
  const node: Source & Observer = {
    observers: new Set(),
    sources: new Set(),
    changed() {
      if (stale) return;
      stale = true;
      for (const observer of [...node.observers]) observer.changed();
    },
  };
  const read = (): T => {
    if (stale) {
      release(node);
      held = observe(node, compute);
      stale = false;
    }
    return held;
  };
  return {
    get value() {
      track(node);
      return read();
    },
    peek: read,
  };
}

interface Effect extends Observer {
  run(): void;
}

/** Runs now and whenever what it read has changed, until the scope around it ends or the function that it returns is called. */
export function effect(action: () => void): Cleanup {
  let live = true;
  let cleanups: Cleanup[] = [];
  const clean = () => {
    for (const one of cleanups) one();
    cleanups = [];
  };
  const node: Effect = {
    sources: new Set(),
    changed: () => void pending.add(node),
    run() {
      if (!live) return;
      release(node);
      clean();
      const before = owned;
      owned = cleanups;
      try {
        observe(node, action);
      } finally {
        owned = before;
      }
    },
  };
  node.run();
  const stop = () => {
    live = false;
    pending.delete(node);
    release(node);
    clean();
  };
  owned?.push(stop);
  return stop;
}

/** Writes several signals; effects run once, afterwards. */
export function batch<T>(action: () => T): T {
  depth++;
  try {
    return action();
  } finally {
    if (--depth === 0) {
      depth++;
      try {
        // An effect that writes adds to the set while it is walked, and the walk gets there.
        for (const one of pending) {
          pending.delete(one);
          one.run();
        }
      } finally {
        depth--;
      }
    }
  }
}

/** Reads without a dependency. */
export function untracked<T>(read: () => T): T {
  return observe(null, read);
}

/** Runs `action`; its effects, and what it gave to `onCleanup`, end with the function that comes back beside its result. */
export function scope<T>(action: () => T): [T, Cleanup] {
  const before = owned;
  const mine: Cleanup[] = [];
  owned = mine;
  try {
    return [untracked(action), () => mine.splice(0).forEach((one) => one())];
  } finally {
    owned = before;
  }
}

/** Runs `action` when the scope or effect around ends. Without one it does nothing. */
export function onCleanup(action: Cleanup): void {
  owned?.push(action);
}
