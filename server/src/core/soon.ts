/**
 * What is there at once, or comes later. Key, counters and a provider's place are in memory for nearly every request; a promise
 * for each of them would cost more than the work itself (docs/performance.md).
 */
export type Soon<T> = T | Promise<T>;

export function whenThere<T, U>(value: Soon<T>, act: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(act) : act(value);
}
