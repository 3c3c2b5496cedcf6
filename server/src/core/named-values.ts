/**
 * Values under up to four names each, with one look-up per name. Joining the names to one key would allocate and hash a
 * new text for everything that a request counts.
 */
export class NamedValues<Value> {
  readonly #root = new Branch<Value>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(first: string, second?: string, third?: string, fourth?: string): Value | undefined {
    let branch = this.#root.branches.get(first);
    if (second !== undefined) branch = branch?.branches.get(second);
    if (third !== undefined) branch = branch?.branches.get(third);
    if (fourth !== undefined) branch = branch?.branches.get(fourth);
    return branch?.value;
  }

  set(names: readonly string[], value: Value): void {
    let branch = this.#root;
    for (const name of names) {
      const next: Branch<Value> = branch.branches.get(name) ?? new Branch();
      branch.branches.set(name, next);
      branch = next;
    }
    if (branch.value === undefined) this.#size++;
    branch.value = value;
  }

  /** Each value with its names, in the order in which the names were first seen. */
  entries(): Generator<[names: readonly string[], value: Value]> {
    return entriesOf(this.#root, []);
  }
}

class Branch<Value> {
  readonly branches = new Map<string, Branch<Value>>();
  value: Value | undefined;
}

function* entriesOf<Value>(
  { value, branches }: Branch<Value>,
  names: readonly string[],
): Generator<[names: readonly string[], value: Value]> {
  if (value !== undefined) yield [names, value];
  for (const [name, branch] of branches) yield* entriesOf(branch, [...names, name]);
}
