/**
 * People for staff: found by the beginning of a name, a number or an address, by role, and by whether they are blocked.
 */
import type { Clock } from '../core/clock.ts';
import { type ListPlace, TimedList, type Walked } from '../lists/index.ts';
import type { Database } from '../platform/db/index.ts';
import { conditionsOfPersons, LISTED_PERSONS, type ListedPerson, type PersonListFilter } from './person-list-rows.ts';

export class PersonList {
  readonly #list: TimedList<ListedPerson, ListedPerson>;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#list = new TimedList<ListedPerson, ListedPerson>(tools, {
      table: LISTED_PERSONS,
      read: (row) => row,
      place: ({ createdAt, id }) => ({ time: createdAt, id }),
    });
  }

  page(filter: PersonListFilter, place: ListPlace): Promise<Walked<ListedPerson>> {
    return this.#list.page(conditionsOfPersons(filter), place);
  }

  count(filter: PersonListFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOfPersons(filter), max);
  }
}
