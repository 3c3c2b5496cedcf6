/**
 * THE RECORD OF A REQUEST: one table of everything that is kept of it. Types, the line in the journal, the statements that
 * post and read it, and the checks of all of these are made from this table (record-text.ts, record-sql.ts).
 *
 * A request is one line, written once: the same bytes go into the journal and, with others, into the database as one
 * parameter, which takes them apart at the separators.
 *
 *   id ⇥ created_at ⇥ format ⇥ shared ⇥ held ⇥ cost ⇥ provider_cost ⇥ duration_ms ⇥ input_tokens ⇥ output_tokens ⇥ detail
 *                              │                                                                                  │
 *                              account_id ␌ key_id ␌ endpoint ␌ model ␌ … ␌ counters       {"user":…,"usage":[…],"attempts":[…],…}
 *
 *   format   which columns a line has (line-formats.ts): lines of released versions are read too
 *   own      columns whose values differ from request to request, with tabs (⇥) between them
 *   shared   columns that many requests of one caller have alike, together one part of the line, with form feeds (␌)
 *            between them: the database takes that part apart once for all requests of a batch that have the same
 *   detail   JSON at the end, for what nobody filters or adds up; a value that is as in a request that did nothing is left out
 *
 * A new value is one entry here, where its value comes from (gateway/settle/record.ts), and, unless it is part of the detail, a
 * migration that adds the column to request_log. Marked for somebody, it stands on the receipt, and a test asks for its line in
 * the receipt's published description (packages/api/src/receipt-schema.ts). An entry with `initial` is known when the request ends; until then, and in
 * the record of a request whose process died, it has that value.
 */
import { ZERO } from '../core/money.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import {
  AMOUNT,
  BIG_INTEGER,
  COUNTERS,
  type ColumnKind,
  DAY,
  FLAG,
  INSTANT,
  INTEGER,
  type Neighbours,
  OPTIONAL_AMOUNT,
  OPTIONAL_TEXT,
  TEXT,
  word,
} from './column-kinds.ts';
import {
  ATTEMPTS,
  COUNT,
  type DetailKind,
  FIRST_EVENT,
  FORMULA,
  OPTIONAL_NUMBER,
  OPTIONAL_STRING,
  PASSAGES,
  PLAN_NAME,
  ROUTING,
  SIGNED_AMOUNT,
  STRINGS,
  USAGE,
} from './detail-kinds.ts';
import { PLAN } from './plan-text.ts';
import type { RequestState } from './record.ts';

export interface Column<T> {
  readonly in: 'own' | 'shared';
  readonly name: string;
  readonly kind: ColumnKind<T>;
}

/** A column that is worked out from the record and is no field of it. */
export interface DerivedColumn extends Column<number> {
  readonly from: (record: Neighbours) => number;
}

export interface Detail<T> {
  readonly in: 'detail';
  readonly kind: DetailKind<T>;
  /** Its name in the JSON, where that is not the field's: one that 0.1.0 does not know, because it could not read the value. */
  readonly as?: string;
  /** How 0.1.0 writes it, under the name of the field. */
  readonly was?: DetailKind<T>;
}

export interface AtEnd<T> {
  readonly initial: T;
}

const own = <T>(name: string, kind: ColumnKind<T>): Column<T> => ({ in: 'own', name, kind });
const shared = <T>(name: string, kind: ColumnKind<T>): Column<T> => ({ in: 'shared', name, kind });
const detail = <T>(kind: DetailKind<T>): Detail<T> => ({ in: 'detail', kind });

/** Who sees it on a receipt, under its own name in snake_case. What is marked for neither is told otherwise, or to nobody. */
const forCustomer = <E>(entry: E) => ({ ...entry, shownTo: 'customer' as const });
const forOperator = <E>(entry: E) => ({ ...entry, shownTo: 'operator' as const });

/** In the order of the line. */
export const RECORD = {
  id: own('id', word<string>()),
  /** Milliseconds since 1970. */
  createdAt: own('created_at', INSTANT),

  accountId: forOperator(shared('account_id', TEXT)),
  keyId: forCustomer(shared('key_id', TEXT)),
  endpoint: forCustomer(shared('endpoint', word<string>())),
  /** That of the request; once it is answered, that of the route that answered. */
  model: forCustomer(shared('model', TEXT)),
  stream: forCustomer(shared('stream', FLAG)),
  priceVersion: shared('price_version', TEXT),
  /** In the account's own calendar, for the daily roll-up. */
  day: shared('day', DAY),
  state: { ...shared('state', word<RequestState>()), initial: 'running' as RequestState },
  errorCode: { ...shared('error_code', OPTIONAL_TEXT), initial: null as string | null },
  /** HTTP status of the answer. */
  status: { ...shared('status', INTEGER), initial: 0 as number },
  /** Whose route answered; where nobody did, who was asked last. Nothing is booked by it: that follows `providerCost`. */
  provider: { ...forOperator(shared('provider', OPTIONAL_TEXT)), initial: null as string | null },
  /** Spend counters this charge belongs to (budget ids of the caps, counted even where no cap is set). */
  counters: { ...forOperator(shared('counters', COUNTERS)), initial: [] as string[] },

  /** What admission held for it. */
  held: forCustomer(own('held', AMOUNT)),
  cost: { ...forCustomer(own('cost', AMOUNT)), initial: ZERO },
  /** The provider's charge to us, where it is known. */
  providerCost: { ...forOperator(own('provider_cost', OPTIONAL_AMOUNT)), initial: null as typeof ZERO | null },
  durationMs: { ...forCustomer(own('duration_ms', INTEGER)), initial: 0 as number },

  /** The client's own name for its user. */
  user: forCustomer(detail(OPTIONAL_STRING)),
  /** `svc.tags`, next to the user: the pattern by which usage finds them begins at the beginning. */
  tags: { ...forCustomer(detail(STRINGS)), initial: [] as string[] },
  /** `hit`, `joined` or `miss`, where the response cache was asked. */
  responseCache: { ...forCustomer(detail(OPTIONAL_STRING)), initial: null as string | null },
  /** What the response cache or the provider's prompt cache saved; below zero where more was written into it than read. */
  cacheSaved: { ...forCustomer(detail(SIGNED_AMOUNT)), initial: ZERO },
  /** 1: it is told to the account's webhooks once it is posted. */
  notify: { ...detail(COUNT), initial: 0 as number },
  /** The batch that it was a line of, and what of the usual price its requests cost. */
  batch: { ...forCustomer(detail(OPTIONAL_STRING)), initial: null as string | null },
  pricePercent: { ...forCustomer(detail(OPTIONAL_NUMBER)), initial: null as number | null },
  usage: { ...detail(USAGE), initial: null as ReturnType<typeof USAGE.read> },
  /** The charge written out; it adds up to the cost. */
  formula: { ...detail(FORMULA), initial: [] as ReturnType<typeof FORMULA.read> },
  attempts: { ...detail(ATTEMPTS), initial: [] as ReturnType<typeof ATTEMPTS.read> },
  /** Why each route stood where it did. */
  plan: { ...detail(PLAN), as: PLAN_NAME, was: STRINGS, initial: [] as string[] },
  firstEventMs: {
    ...forCustomer(detail(FIRST_EVENT)),
    as: 't',
    was: OPTIONAL_NUMBER,
    initial: null as number | null,
  },
  /** Tokens of passages from knowledge bases that were put into the prompt. */
  retrievedTokens: { ...forCustomer(detail(COUNT)), initial: 0 as number },
  /** Which passages those were, in the order of their numbers. */
  passages: { ...detail(PASSAGES), initial: [] as ReturnType<typeof PASSAGES.read> },
  /** What of its way somebody demanded or switched on. */
  routing: { ...detail(ROUTING), initial: null as ReturnType<typeof ROUTING.read> },
  warnings: { ...forCustomer(detail(STRINGS)), initial: [] as string[] },
  /** What became of the guarantee on its answer, where it was asked for; `broken`: it is owed what it cost (ledger/guarantee-credits.ts). */
  guarantee: { ...forCustomer(detail(OPTIONAL_STRING)), initial: null as string | null },
  /** What was mended of the answer. */
  repair: { ...forCustomer(detail(STRINGS)), initial: [] as string[] },
} as const;

/** Columns for the roll-up, which adds them up without reading the detail. */
export const DERIVED: readonly DerivedColumn[] = [
  { ...own('input_tokens', BIG_INTEGER), from: ({ usage }) => (usage ? promptTokens(usage) : 0) },
  { ...own('output_tokens', BIG_INTEGER), from: ({ usage }) => (usage ? completionTokens(usage) : 0) },
];

type Table = typeof RECORD;
type Field = keyof Table;
type Value<E> = E extends Column<infer T> ? T : E extends Detail<infer T> ? T : never;
type FieldAtEnd = { [F in Field]: Table[F] extends AtEnd<unknown> ? F : never }[Field];

/** Known when the request is admitted. */
export type StartRecord = { -readonly [F in Exclude<Field, FieldAtEnd | 'day'>]: Value<Table[F]> } & {
  day?: string;
  /** Budgets that admission really holds for this request (`Hold.budgets`), released when it is posted. Absent: the wallet and every counter. */
  budgets?: string[];
};

/** What the end of a request adds to its start record. */
export type RequestClosing = { -readonly [F in FieldAtEnd]: Value<Table[F]> };

/** What is written of a request, when it opens and when it ends: what it does not name has the initial value. */
export type WrittenRequest = StartRecord & Partial<RequestClosing>;

/** Self-contained: posting needs nothing else. */
export type RequestRecord = StartRecord & RequestClosing;
