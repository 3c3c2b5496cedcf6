/**
 * What is there at once, or comes later. Key, counters and a provider's place are in memory for nearly every request; a promise
 * for each of them would cost more than the work itself (docs/performance.md).
 */
export type MaybePromise<T> = T | Promise<T>;

export function whenResolved<T, U>(value: MaybePromise<T>, act: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(act) : act(value);
}
