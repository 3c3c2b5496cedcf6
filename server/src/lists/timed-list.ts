/**
 * Lists that are ordered by a time and an id. Conditions with an index are answered by it; others are checked row by
 * row, in steps and within a time limit. A table gives its columns; paging, walking and counting are the same for all.
 */
import type { Clock } from '../core/clock.ts';
import { refuseCursor } from '../keys/index.ts';
import { type Conditions, joined } from '../platform/db/conditions.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { placeOf, startOfPage } from '../platform/db/pages.ts';
import { COUNT_LISTED, END_OF_STEP, listed } from './timed-list-sql.ts';
import { stepSizes, type Walked, type WalkStep, walk } from './walk.ts';

export interface TimedTable<Row extends object, Item> {
  table: string;
  columns: string;
  /** The column that orders the list. */
  time: string;
  read(row: Row): Item;
  place(item: Item): { time: Date; id: string };
}

export interface Filtered {
  indexed: Conditions;
  others: Conditions;
}

export interface ListPlace {
  after: string | null;
  limit: number;
  /** People wait for a list; an export has connections of its own. */
  use: 'list' | 'job';
  oldestFirst?: boolean;
}

const MAX_LIST_MS = 2_000;

export function noFilter(): Filtered {
  return { indexed: { parts: [], values: [] }, others: { parts: [], values: [] } };
}

/** Reads a list on the connections of reports. */
export function reportOn<T>(db: Database, use: ListPlace['use'], work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.report(work, use === 'list' ? { for: 'list', timeoutMs: MAX_LIST_MS } : { for: 'job' });
}

/** Cuts the rows to a page, and finds where the next page begins. */
export function cutPage<Item>(rows: Item[], limit: number, place: (item: Item) => string): Walked<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > limit && last !== undefined ? place(last) : null, searchedBackTo: null };
}

export class TimedList<Row extends object, Item> {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #of: TimedTable<Row, Item>;

  constructor({ db, clock }: { db: Database; clock: Clock }, of: TimedTable<Row, Item>) {
    this.#db = db;
    this.#clock = clock;
    this.#of = of;
  }

  async page({ indexed, others }: Filtered, place: ListPlace): Promise<Walked<Item>> {
    const { after, limit, use } = place;
    const order = this.#order(place);
    if (others.parts.length === 0) {
      const conditions = [indexed, this.#behind(after, place)];
      const rows = await reportOn(this.#db, use, (tx) => this.rows(tx, conditions, limit + 1, order));
      return cutPage(rows, limit, (item) => this.#placeOf(item));
    }
    return walk({
      clock: this.#clock,
      wanted: limit,
      place: after,
      sizes: stepSizes(this.#db.kind),
      step: (from, size, room) =>
        reportOn(this.#db, use, (tx) =>
          this.#step(tx, { indexed, others }, { ...place, after: from, limit: room }, size),
        ),
    });
  }

  /** The number of rows, up to a limit; null where no index answers it. */
  async count({ indexed, others }: Filtered, max: number): Promise<number | null> {
    if (others.parts.length > 0) return null;
    const { text, values } = joined([indexed]);
    return reportOn(this.#db, 'list', async (tx) => {
      const row = await COUNT_LISTED(this.#of.table, text, max).only(tx, values);
      return row.n;
    });
  }

  async rows(tx: Queryable, conditions: readonly Conditions[], limit: number, order: string): Promise<Item[]> {
    const { text, values } = joined(conditions);
    const { table, columns, read } = this.#of;
    const found = await listed<Row>(columns, table, text, order, limit).rows(tx, values);
    return found.map(read);
  }

  async #step(tx: Queryable, filter: Filtered, place: ListPlace, size: number): Promise<WalkStep<Item>> {
    const { table, time } = this.#of;
    const order = this.#order(place);
    const start = [filter.indexed, this.#behind(place.after, place)];
    const { text, values } = joined(start);
    const end = await END_OF_STEP(table, time, text, order, size).first(tx, values);
    const bound = `(${time}, id) ${place.oldestFirst ? '<=' : '>='} (§, §)`;
    const looked = end ? [...start, { parts: [bound], values: [end.at, end.id] }] : start;
    const rows = await this.rows(tx, [...looked, filter.others], place.limit, order);
    const last = rows.length === place.limit ? rows.at(-1) : undefined;
    if (last !== undefined) return { rows, place: this.#placeOf(last), reachedMs: this.#of.place(last).time.getTime() };
    return { rows, place: end ? placeOf(end.at, end.id) : null, reachedMs: end ? end.at.getTime() : null };
  }

  #order({ oldestFirst }: ListPlace): string {
    const direction = oldestFirst ? 'asc' : 'desc';
    return `${this.#of.time} ${direction}, id ${direction}`;
  }

  #behind(after: string | null, { oldestFirst }: ListPlace): Conditions {
    if (after === null) return { parts: [], values: [] };
    const { time, id } = startOfPage({ after }) ?? refuseCursor();
    return { parts: [`(${this.#of.time}, id) ${oldestFirst ? '>' : '<'} (§, §)`], values: [time, id] };
  }

  #placeOf(item: Item): string {
    const { time, id } = this.#of.place(item);
    return placeOf(time, id);
  }
}
