/** People for staff: found by the beginning of a name, a number or an address; by what they may and whether they are blocked. */
import type { StaffRole } from '@dargah/core/roles.ts';
import type { Clock } from '../core/clock.ts';
import { type Filtered, type ListPlace, noFilter, TimedList, type Walked } from '../lists/index.ts';
import { adder } from '../platform/db/conditions.ts';
import type { Database } from '../platform/db/index.ts';
import { addWords } from '../platform/db/search-words.ts';

export interface PersonListFilter {
  words?: string | undefined;
  state?: 'active' | 'blocked' | undefined;
  /** Staff of this role, or people who do not work here. */
  role?: StaffRole | 'customer' | undefined;
  seenFrom?: number | undefined;
  seenTo?: number | undefined;
}

export interface ListedPerson {
  id: string;
  name: string;
  blockedAt: Date | null;
  createdAt: Date;
  staffRole: StaffRole | null;
  seenAt: Date | null;
}

const SEEN = '(select max(seen_at) from session where session.person_id = person.id)';

export class PersonList {
  readonly #list: TimedList<ListedPerson, ListedPerson>;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#list = new TimedList<ListedPerson, ListedPerson>(tools, {
      table: 'person',
      columns: `id, name, blocked_at as "blockedAt", created_at as "createdAt",
        (select role from staff where staff.person_id = person.id) as "staffRole", ${SEEN} as "seenAt"`,
      time: 'created_at',
      read: (row) => row,
      place: ({ createdAt, id }) => ({ time: createdAt, id }),
    });
  }

  page(filter: PersonListFilter, place: ListPlace): Promise<Walked<ListedPerson>> {
    return this.#list.page(conditionsOf(filter), place);
  }

  count(filter: PersonListFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOf(filter), max);
  }
}

function conditionsOf({ words, state, role, seenFrom, seenTo }: PersonListFilter): Filtered {
  const { indexed, others } = noFilter();
  const byLook = adder(others);
  addWords(indexed, words, 'id', 'select person_id from person_word where word like §');
  if (state !== undefined) others.parts.push(`blocked_at is ${state === 'blocked' ? 'not ' : ''}null`);
  // Staff are few, and found by their key.
  if (role === 'customer') others.parts.push('not exists (select from staff where staff.person_id = person.id)');
  else if (role !== undefined) adder(indexed)('id in (select person_id from staff where role = ?)', role);
  byLook(`${SEEN} >= ?`, seenFrom === undefined ? undefined : new Date(seenFrom));
  byLook(`${SEEN} < ?`, seenTo === undefined ? undefined : new Date(seenTo));
  return { indexed, others };
}
