/** What the reservations of a call check, each list once: requests of one key check the same counters against the same limits. */
import type { LimitCheck } from '../admission.ts';

export interface CheckList {
  /** The script counts from one. */
  number: number;
  checks: readonly LimitCheck[];
  windows: number;
}

export class CheckLists {
  readonly all: CheckList[] = [];
  /** The newest list that begins with this counter. */
  readonly #byFirst = new Map<string | undefined, CheckList>();

  of(checks: readonly LimitCheck[]): CheckList {
    const first = checks[0]?.id;
    const known = this.#byFirst.get(first);
    if (known !== undefined && isSameList(known.checks, checks)) return known;
    const list = {
      number: this.all.length + 1,
      checks,
      windows: checks.filter(({ kind }) => kind === 'window').length,
    };
    this.all.push(list);
    this.#byFirst.set(first, list);
    return list;
  }
}

/** Amounts may differ. */
function isSameList(one: readonly LimitCheck[], other: readonly LimitCheck[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] as LimitCheck, other[at] as LimitCheck];
    if (a.id !== b.id || a.kind !== b.kind || a.limit !== b.limit) return false;
  }
  return true;
}
