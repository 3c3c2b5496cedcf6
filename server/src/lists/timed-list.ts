/**
 * Lists that go by a time and an id. Conditions that an index knows lead through the table; others are looked at row by row, in steps
 * and within a time. A table is declared with its row; paging, walking and counting are the same for all.
 */
import type { Clock } from '../core/clock.ts';
import { refuseCursor } from '../keys/index.ts';
import { type Conditions, joined } from '../platform/db/conditions.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { placeOf, startOfPage } from '../platform/db/pages.ts';
import { behind, type Filtered, type ListedTable, upTo } from './timed-list-sql.ts';
import { stepSizes, type Walked, type WalkStep, walk } from './walk.ts';

export interface TimedListOf<Row extends object, Item> {
  table: ListedTable<Row>;
  read(row: Row): Item;
  place(item: Item): { time: Date; id: string };
}

export interface ListPlace {
  after: string | null;
  limit: number;
  /** People wait for a list; an export has connections of its own. */
  use: 'list' | 'job';
  oldestFirst?: boolean;
}

const MAX_LIST_MS = 2_000;

/** A look through a list on the connections of reports. */
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
  readonly #of: TimedListOf<Row, Item>;

  constructor({ db, clock }: { db: Database; clock: Clock }, of: TimedListOf<Row, Item>) {
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
      const row = await this.#of.table.count(text, max).only(tx, values);
      return row.n;
    });
  }

  async rows(tx: Queryable, conditions: readonly Conditions[], limit: number, order: string): Promise<Item[]> {
    const { text, values } = joined(conditions);
    const { table, read } = this.#of;
    const found = await table.page(text, order, limit).rows(tx, values);
    return found.map(read);
  }

  async #step(tx: Queryable, filter: Filtered, place: ListPlace, size: number): Promise<WalkStep<Item>> {
    const { table } = this.#of;
    const order = this.#order(place);
    const start = [filter.indexed, this.#behind(place.after, place)];
    const { text, values } = joined(start);
    const end = await table.endOfStep(text, order, size).first(tx, values);
    const looked = end ? [...start, upTo(table.time, end, place.oldestFirst === true)] : start;
    const rows = await this.rows(tx, [...looked, filter.others], place.limit, order);
    const last = rows.length === place.limit ? rows.at(-1) : undefined;
    if (last !== undefined) return { rows, place: this.#placeOf(last), reachedMs: this.#of.place(last).time.getTime() };
    return { rows, place: end ? placeOf(end.at, end.id) : null, reachedMs: end ? end.at.getTime() : null };
  }

  #order({ oldestFirst }: ListPlace): string {
    const direction = oldestFirst ? 'asc' : 'desc';
    return `${this.#of.table.time} ${direction}, id ${direction}`;
  }

  #behind(after: string | null, { oldestFirst }: ListPlace): Conditions {
    if (after === null) return { parts: [], values: [] };
    return behind(this.#of.table.time, startOfPage({ after }) ?? refuseCursor(), oldestFirst === true);
  }

  #placeOf(item: Item): string {
    const { time, id } = this.#of.place(item);
    return placeOf(time, id);
  }
}
