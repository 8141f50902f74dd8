/** Integers in less memory than an array of doubles, such as times of events and positions in a table. */

/** Positions of one block, as a power of two. */
const SHIFT = 8;

type Offsets = Uint16Array | Uint32Array | Float64Array;

/**
 * Integers by frame-of-reference encoding: each block has its least value, and each value its difference to that, in as
 * many bytes as the largest difference of all needs.
 */
export class PackedIntegers {
  readonly length: number;
  readonly #references: Float64Array;
  readonly #offsets: Offsets;

  /** Takes values of any order; `values` may be given as they are computed, because each is asked for once, in order. */
  constructor(length: number, valueAt: (position: number) => number) {
    this.length = length;
    this.#references = new Float64Array(Math.ceil(length / (1 << SHIFT)));
    let offsets: Offsets = new Uint16Array(length);
    const block = new Float64Array(1 << SHIFT);
    for (let from = 0; from < length; from += block.length) {
      const count = Math.min(block.length, length - from);
      let least = Infinity, most = -Infinity;
      for (let i = 0; i < count; i++) {
        const value = valueAt(from + i);
        block[i] = value;
        if (value < least) least = value;
        if (value > most) most = value;
      }
      if (most - least >= 2 ** 16 && offsets instanceof Uint16Array) offsets = new Uint32Array(offsets);
      if (most - least >= 2 ** 32 && offsets instanceof Uint32Array) offsets = new Float64Array(offsets);
      this.#references[from >> SHIFT] = least;
      for (let i = 0; i < count; i++) offsets[from + i] = block[i]! - least;
    }
    this.#offsets = offsets;
  }

  static of(...values: number[]): PackedIntegers {
    return new PackedIntegers(values.length, (position) => values[position]!);
  }

  /** The value at a position. */
  at(position: number): number {
    return this.#references[position >> SHIFT]! + this.#offsets[position]!;
  }

  /** All of them, in an array. */
  toArray(): Float64Array<ArrayBuffer> {
    const values = new Float64Array(this.length);
    for (let i = 0; i < values.length; i++) values[i] = this.at(i);
    return values;
  }
}
