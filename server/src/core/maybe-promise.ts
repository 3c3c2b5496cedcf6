/**
 * A value, or a promise of it. For nearly every request the key, the counters and a provider's slot are in memory; a
 * promise for each of them would cost more than the work itself (docs/performance.md).
 */
export type MaybePromise<T> = T | Promise<T>;

export function whenResolved<T, U>(value: MaybePromise<T>, act: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(act) : act(value);
}
