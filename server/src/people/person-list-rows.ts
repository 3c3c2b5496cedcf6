/** Statements of the list of people, and the conditions that its filter becomes. */
import type { StaffRole } from '@dargah/core/roles.ts';
import { type Filtered, listedTable, noFilter } from '../lists/index.ts';
import { adder } from '../platform/db/conditions.ts';
import { column, orNull, type RowOf, readAs } from '../platform/db/index.ts';
import { addWords } from '../platform/db/search-words.ts';

export interface PersonListFilter {
  words?: string | undefined;
  state?: 'active' | 'blocked' | undefined;
  /** Staff of this role, or people who are not staff. */
  role?: StaffRole | 'customer' | undefined;
  seenFrom?: number | undefined;
  seenTo?: number | undefined;
}

const SEEN = '(select max(seen_at) from session where session.person_id = person.id)';
const listedPersonRow = {
  id: column.text,
  name: column.text,
  blockedAt: orNull(column.timestamp),
  createdAt: column.timestamp,
  staffRole: readAs('(select role from staff where staff.person_id = person.id)', orNull(column.textOf<StaffRole>())),
  seenAt: readAs(SEEN, orNull(column.timestamp)),
};
export type ListedPerson = RowOf<typeof listedPersonRow>;

export function conditionsOfPersons({ words, state, role, seenFrom, seenTo }: PersonListFilter): Filtered {
  const { indexed, others } = noFilter();
  const byLook = adder(others);
  addWords(indexed, words, 'id', 'select person_id from person_word where word like §');
  if (state !== undefined) others.parts.push(`blocked_at is ${state === 'blocked' ? 'not ' : ''}null`);
  // Staff are few and are found by their key.
  if (role === 'customer') others.parts.push('not exists (select from staff where staff.person_id = person.id)');
  else if (role !== undefined) adder(indexed)('id in (select person_id from staff where role = ?)', role);
  byLook(`${SEEN} >= ?`, seenFrom === undefined ? undefined : new Date(seenFrom));
  byLook(`${SEEN} < ?`, seenTo === undefined ? undefined : new Date(seenTo));
  return { indexed, others };
}

export const LISTED_PERSONS = listedTable(
  { table: 'person', time: 'created_at', row: listedPersonRow },
  conditionsOfPersons({ words: 'a', state: 'active', role: 'viewer', seenFrom: 0, seenTo: 0 }),
  conditionsOfPersons({ role: 'customer' }),
);
