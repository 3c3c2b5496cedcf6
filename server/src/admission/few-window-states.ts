/**
 * Window states of one request in an array. A request has three windows; a Map of three would cost more than the counting
 * (docs/performance.md).
 */
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
