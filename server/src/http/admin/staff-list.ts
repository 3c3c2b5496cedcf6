/** A list of staff: its route, its columns in a file and its reader, so that the page and the export show the same. */

import type { Access } from '@dargah/api/access.ts';
import type { ListPage } from '@dargah/api/building-blocks.ts';
import type { QueryOf, ResultOf, RouteDescription } from '@dargah/api/describe-route.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { StaffList } from '@dargah/core/staff-lists.ts';
import { selectNames } from '../../accounts/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import type { JsonObject } from '../../core/json.ts';
import { parseToman } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { CsvCell } from '../../core/write-csv.ts';
import type { ExportableList, Walked } from '../../lists/index.ts';
import { maskContactsIn } from '../../people/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { compileCheck, type SchemaCheck } from '../routes/check-schema.ts';

/** Who asks, and what for: an export uses connections of its own, so that pages do not wait for it. */
export interface ListReader {
  role: StaffRole;
  personId: string | null;
  use: 'list' | 'job';
}

type Row<D extends RouteDescription> = ResultOf<D> extends { data: (infer One)[] } ? One : never;
type ListRoute = RouteDescription & { readonly access: Extract<Access, { guard: 'operator' }> };

export interface ListOfStaff<D extends ListRoute> {
  id: StaffList;
  route: D;
  read(query: QueryOf<D>, reader: ListReader): Promise<ResultOf<D>>;
  columns: Readonly<Record<string, (row: Row<D>) => CsvCell>>;
  /** The time of a row, where the list goes by time. */
  at?(row: Row<D>): string;
}

/**
 * What a role sees in every list: costs, contacts, or neither. A file contains what its author could see when it was
 * made.
 */
const SIGHTS: Record<StaffRole, string> = { owner: 'money', finance: 'money', support: 'care', viewer: 'masked' };
const ROLE_OF_SIGHT: Record<string, StaffRole> = { money: 'finance', care: 'support', masked: 'viewer' };

export function exportable<D extends ListRoute>(list: ListOfStaff<D>): ExportableList {
  const { route, columns } = list;
  const check: SchemaCheck = compileCheck(route.query ?? never(), 'query');
  return {
    id: list.id,
    columns: Object.keys(columns),
    sight(role, query) {
      check(query);
      const { roles, ofOneAccount } = route.access;
      const isOfOne = typeof query['account_id'] === 'string' && ofOneAccount?.includes(role) === true;
      return roles.includes(role) || isOfOne ? SIGHTS[role] : undefined;
    },
    async read(query, { after, limit, sight }) {
      const reader = { role: ROLE_OF_SIGHT[sight] ?? 'viewer', personId: null, use: 'job' as const };
      const pageQuery = { ...query, limit, ...(after === null ? {} : { after }) } as unknown as QueryOf<D>;
      const page = (await list.read(pageQuery, reader)) as Pick<ListPage<Row<D>>, 'data' | 'next'> & {
        searched_back_to?: string | null;
      };
      const last = page.data.at(-1);
      const reached = page.searched_back_to ?? (last === undefined ? undefined : list.at?.(last));
      return {
        lines: page.data.map((row) => Object.values(columns).map((cell) => shown(cell(row), sight))),
        next: page.next,
        reachedMs: reached === undefined ? null : Date.parse(reached),
      };
    },
  };
}

function shown(cell: CsvCell, sight: string): CsvCell {
  return typeof cell === 'string' && sight === SIGHTS.viewer ? maskContactsIn(cell) : cell;
}

function never(): never {
  throw new Error('a list without a query cannot be exported');
}

export function tomanInput(text: string | undefined, param: string): bigint | undefined {
  const sum = text === undefined ? undefined : parseToman(text);
  if (text !== undefined && sum === undefined)
    throw invalidRequest(param, reasons.mustBe(param, expected.tomanAboveZero));
  return sum;
}

const MAX_COUNTED = 1_000;

/** Rows are counted for the first page only, and only where an index makes it cheap. */
export async function totalOf(
  after: string | undefined,
  count: (max: number) => Promise<number | null>,
): Promise<ListPage<never>['total']> {
  const found = after === undefined ? await count(MAX_COUNTED) : null;
  return found === null ? null : { count: Math.min(found, MAX_COUNTED), more: found > MAX_COUNTED };
}

export function listPage<T>(
  data: T[],
  { next, searchedBackTo }: Pick<Walked<unknown>, 'next' | 'searchedBackTo'>,
  more: { total?: ListPage<T>['total']; names?: Record<string, string> } = {},
): ListPage<T> {
  const back = searchedBackTo === null ? null : new Date(searchedBackTo).toISOString();
  return { object: 'list', data, next, searched_back_to: back, total: more.total ?? null, names: more.names ?? {} };
}

/** The names of the accounts and keys of a page, in one query. */
export async function namesOf(
  db: Queryable,
  accounts: readonly (string | null)[],
  keys: readonly string[] = [],
): Promise<Record<string, string>> {
  const ids = [...new Set(accounts)].filter((id) => id !== null);
  if (ids.length === 0 && keys.length === 0) return {};
  return selectNames(db, ids, [...new Set(keys)]);
}

/** Returns the filter as an export stores it: from the first row on, with `me` replaced by the person. */
export function exportQuery(query: object | undefined, me: string | null): JsonObject {
  const entries = Object.entries(query ?? {}).filter(([name]) => name !== 'after' && name !== 'limit');
  return Object.fromEntries(entries.map(([name, value]) => [name, value === 'me' ? (me ?? '') : value]));
}
