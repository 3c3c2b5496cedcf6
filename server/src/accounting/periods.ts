/**
 * Months of the books that are closed: in order, from the second day after their end, and never opened again. One
 * person of finance asks, another decides. The database itself refuses to write into a closed month (0144).
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { noSuch } from '../keys/index.ts';
import { dayAfter, homeDay } from '../ledger/index.ts';
import { createChangeRecorder, difference } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { requireDecider } from './approvals.ts';
import { lookAtMonth, MONTH_CHECKS, type MonthCheck, type MonthCheckResult } from './month-checks.ts';
import { type BooksCalendar, type BooksSpan, spanAfter, spanNamed, spanOf } from './months.ts';
import { periodReasons } from './period-reasons.ts';
import type { BooksPeriod } from './period-rows.ts';
import {
  BOOKS_RULE,
  CLOSE_PERIOD,
  DELETE_PERIOD,
  FIRST_DAY_OF_BOOKS,
  INSERT_PERIOD,
  LAST_CLOSED_PERIOD,
  LOCK_RULE,
  PERIOD,
  PERIODS,
  SET_RULE,
} from './period-rows.ts';

export interface BooksRule {
  calendar: BooksCalendar;
  taxSendDays: number;
  taxServiceId: string;
  /** True when a month is closed or somebody has asked to close one, so the calendar can no longer change. */
  calendarFixed: boolean;
}

export interface Periods {
  rule(): Promise<BooksRule>;
  setRule(change: Partial<Omit<BooksRule, 'calendarFixed'>>, actor: string): Promise<BooksRule>;
  /** Newest first, the running month among them. */
  list(limit: number): Promise<BooksPeriod[]>;
  /** A month and what must be checked before it is closed; a closed month has no checks. */
  get(id: string): Promise<{ period: BooksPeriod; checks: MonthCheckResult[] }>;
  ask(id: string, sentences: Record<string, string>, actor: string): Promise<BooksPeriod>;
  approve(id: string, actor: string): Promise<BooksPeriod>;
  /** Declines the closing: the person who asked withdraws it, another person refuses it. */
  decline(id: string, actor: string): Promise<BooksPeriod>;
}

export interface PeriodsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Checks beside those that always run. */
  checks?: readonly MonthCheck[];
}

/** A month closes from this day after its last one on. */
const CLOSABLE_AFTER_DAYS = 2;
const MIN_SENTENCE_CHARS = 3;

export function createPeriods(options: PeriodsOptions): Periods {
  const { db, clock, checks = MONTH_CHECKS } = options;
  const record = createChangeRecorder(options, 'books');
  const today = () => homeDay(clock.now());

  return {
    rule: () => readRule(db),
    async setRule(change, actor) {
      await db.transaction(async (tx) => {
        await LOCK_RULE.run(tx);
        const before = await readRule(tx);
        const { calendarFixed, ...after } = { ...before, ...change };
        if (calendarFixed && after.calendar !== before.calendar)
          throw new GatewayError('conflict', { param: 'calendar', reason: periodReasons.calendarFixed });
        await SET_RULE.run(tx, [after.calendar, after.taxSendDays, after.taxServiceId]);
        await record(tx, actor, 'books.rule', 'books', difference({ ...before }, { ...before, ...after }));
      });
      return readRule(db);
    },
    list: (limit) => db.report((tx) => listPeriods(tx, today(), limit), { for: 'list' }),
    get: (id) =>
      db.report(
        async (tx) => {
          const period = await findPeriod(tx, id, today());
          const asked = period.state === 'closed' ? [] : checks;
          return { period, checks: await lookAtMonth(tx, period, clock.now(), asked) };
        },
        { for: 'list' },
      ),
    async ask(id, sentences, actor) {
      await db.transaction(async (tx) => {
        const period = await lockedPeriod(tx, id, today());
        if (period.state === 'asked') throw new GatewayError('conflict', { reason: periodReasons.isAsked });
        const kept = await requireClosable(tx, period, sentences, clock.now(), checks);
        const { firstDay, lastDay, calendar } = period;
        await INSERT_PERIOD.run(tx, [id, calendar, firstDay, lastDay, actor, new Date(clock.now()), kept]);
        await record(tx, actor, 'period.ask', id, { ...kept });
      });
      return findPeriod(db, id, today());
    },
    async approve(id, actor) {
      await db.transaction(async (tx) => {
        const period = await lockedPeriod(tx, id, today());
        if (period.state !== 'asked' || period.askedAt === null || period.askedBy === null)
          throw new GatewayError('conflict', { reason: periodReasons.notAsked });
        const { askedBy, askedAt } = period;
        const { alone } = await requireDecider(tx, { askedBy, askedAt }, { by: actor, nowMs: clock.now() });
        await requireClosable(tx, period, period.sentences, clock.now(), checks);
        await close(tx, period, { actor, alone, nowMs: clock.now() });
        await record(tx, actor, 'period.close', id, { alone, asked_by: askedBy });
      });
      return findPeriod(db, id, today());
    },
    async decline(id, actor) {
      await db.transaction(async (tx) => {
        const { state } = await lockedPeriod(tx, id, today());
        if (state !== 'asked') throw new GatewayError('conflict', { reason: periodReasons.notAsked });
        await DELETE_PERIOD.run(tx, [id]);
        await record(tx, actor, 'period.decline', id, {});
      });
      return findPeriod(db, id, today());
    },
  };
}

type Stored = Omit<BooksPeriod, 'closableFrom'>;

export async function readRule(tx: Queryable): Promise<BooksRule> {
  const row = await BOOKS_RULE.first(tx);
  if (!row) throw new Error('the rule of the books is not there');
  return row;
}

/** Locks the months, so that closing one and changing the calendar wait for each other. */
async function lockedPeriod(tx: Queryable, id: string, today: string): Promise<BooksPeriod> {
  await LOCK_RULE.run(tx);
  const period = await findPeriod(tx, id, today);
  if (period.state === 'closed') throw new GatewayError('conflict', { reason: periodReasons.isClosed });
  return period;
}

async function findPeriod(tx: Queryable, id: string, today: string): Promise<BooksPeriod> {
  const stored = await PERIOD.first(tx, [id]);
  if (stored) return withDay(stored);
  const { calendar } = await readRule(tx);
  const span = spanNamed(calendar, 'month', id);
  const first = await firstMonth(tx, calendar, today);
  if (!span || span.firstDay > today || span.firstDay < first.firstDay) return noSuch('month', id);
  return openPeriod(span, calendar, today);
}

const withDay = (period: Stored): BooksPeriod => ({
  ...period,
  closableFrom: dayAfter(period.lastDay, CLOSABLE_AFTER_DAYS),
});

function openPeriod(span: BooksSpan, calendar: BooksCalendar, today: string): BooksPeriod {
  return withDay({
    ...span,
    calendar,
    state: span.lastDay < today ? 'open' : 'running',
    askedBy: null,
    askedByName: null,
    askedAt: null,
    approvedBy: null,
    approvedByName: null,
    closedAt: null,
    alone: false,
    sentences: {},
  });
}

/** The month in which the books begin. */
async function firstMonth(tx: Queryable, calendar: BooksCalendar, today: string): Promise<BooksSpan> {
  const row = await FIRST_DAY_OF_BOOKS.first(tx);
  return spanOf(calendar, 'month', row?.day ?? today);
}

/** The first month that is not closed. */
async function monthToClose(tx: Queryable, calendar: BooksCalendar, today: string): Promise<BooksSpan> {
  const last = await LAST_CLOSED_PERIOD.first(tx);
  return last ? spanAfter(calendar, 'month', last) : firstMonth(tx, calendar, today);
}

async function listPeriods(tx: Queryable, today: string, limit: number): Promise<BooksPeriod[]> {
  const { calendar } = await readRule(tx);
  const stored = await PERIODS.rows(tx, [limit]);
  const known = new Map(stored.map((period) => [period.id, withDay(period)]));
  const first = await firstMonth(tx, calendar, today);
  const periods: BooksPeriod[] = [];
  let month = spanOf(calendar, 'month', today);
  while (periods.length < limit && month.lastDay >= first.firstDay) {
    periods.push(known.get(month.id) ?? openPeriod(month, calendar, today));
    month = spanOf(calendar, 'month', dayAfter(month.firstDay, -1));
  }
  return periods;
}

/** Returns the sentences that stay with the month: those about amber results. */
async function requireClosable(
  tx: Queryable,
  period: BooksPeriod,
  sentences: Record<string, string>,
  nowMs: number,
  checks: readonly MonthCheck[],
): Promise<Record<string, string>> {
  const today = homeDay(nowMs);
  const next = await monthToClose(tx, period.calendar, today);
  if (next.id !== period.id) throw new GatewayError('conflict', { reason: periodReasons.notInOrder(next.id) });
  if (today < period.closableFrom)
    throw new GatewayError('conflict', { reason: periodReasons.tooEarly(period.closableFrom) });
  const found = (await lookAtMonth(tx, period, nowMs, checks)).filter(({ count }) => count > 0);
  const red = found.filter(({ level }) => level === 'red').map(({ id }) => id);
  if (red.length > 0)
    throw new GatewayError('conflict', { reason: periodReasons.forbiddenBy(red), detail: { checks: red } });
  const kept: Record<string, string> = {};
  for (const { id } of found) {
    const sentence = sentences[id]?.trim() ?? '';
    if (sentence.length < MIN_SENTENCE_CHARS)
      throw invalidRequest(`sentences.${id}`, periodReasons.sentenceMissing(id));
    kept[id] = sentence;
  }
  return kept;
}

async function close(
  tx: Queryable,
  { id, firstDay, lastDay }: BooksPeriod,
  { actor, alone, nowMs }: { actor: string; alone: boolean; nowMs: number },
): Promise<void> {
  const closed = await CLOSE_PERIOD.rows(tx, [id, actor, new Date(nowMs), alone, firstDay, lastDay]);
  if (closed.length === 0) throw new GatewayError('conflict', { reason: periodReasons.notSealed });
}
