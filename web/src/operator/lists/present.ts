/** Filters that are set, of those that a list has. */
type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function present<T extends object>(filters: T): Present<T> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Present<T>;
}
