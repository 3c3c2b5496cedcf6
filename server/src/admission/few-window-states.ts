/** For the few windows of one request: making and reading a Map of three costs more than all the counting under it. */
import type { WindowState, WindowStates } from './admission.ts';

export class FewWindowStates implements WindowStates {
  readonly #entries: readonly (readonly [string, WindowState])[];

  constructor(entries: readonly (readonly [string, WindowState])[]) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.length;
  }

  get(id: string): WindowState | undefined {
    return this.#entries.findLast((entry) => entry[0] === id)?.[1];
  }

  [Symbol.iterator](): Iterator<readonly [string, WindowState]> {
    return this.#entries[Symbol.iterator]();
  }
}
