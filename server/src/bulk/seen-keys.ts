// A set of texts that needs little memory, for the codes or addresses of a large file.
import { hash } from 'node:crypto';

const WORDS = 2;
const FIRST_SLOTS = 1 << 14;
// A file of 64 MB has fewer different codes than this table holds.
const EXPECTED_SLOTS_MAX = 1 << 24;
const MAX_LOAD = 0.75;

/**
 * Remembers texts by their hashes of 64 bits, in an open-addressing table of 8 bytes a slot. A million texts need 16 MB; a
 * set of strings would need six times as much. Of 10,000,000 texts, two have the same hash in one of 300,000 files; the
 * preview then counts one row too few.
 */
export class SeenKeys {
  #slots: Uint32Array;
  #size = 0;

  /** `expected` is the number of texts. Without it, the table grows, which takes long for a large table. */
  constructor(expected = 0) {
    let slots = FIRST_SLOTS;
    while (slots * MAX_LOAD < expected && slots < EXPECTED_SLOTS_MAX) slots *= 2;
    this.#slots = new Uint32Array(slots * WORDS);
  }

  /** Adds the text. Returns false if it was added before. */
  add(text: string): boolean {
    const digest = hash('sha256', text, 'buffer');
    const words = [0, 4].map((at) => digest.readUInt32LE(at));
    // A slot whose words are all 0 is free, so the last word of a hash is never 0.
    words[WORDS - 1] = (words[WORDS - 1] ?? 0) || 1;
    if (!this.#put(words)) return false;
    this.#size += 1;
    if (this.#size > (this.#slots.length / WORDS) * MAX_LOAD) this.#grow();
    return true;
  }

  #put(words: ArrayLike<number>): boolean {
    const mask = this.#slots.length / WORDS - 1;
    for (let slot = (words[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * WORDS;
      if (this.#slots[at + WORDS - 1] === 0) {
        this.#slots.set(words, at);
        return true;
      }
      if ([0, 1].every((word) => this.#slots[at + word] === words[word])) return false;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS)
      if (old[at + WORDS - 1] !== 0) this.#put(old.subarray(at, at + WORDS));
  }
}
