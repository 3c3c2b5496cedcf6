/**
 * Notices of an account: raised once per occasion, shown in the console, and put into the outbox for the channels of
 * its rule. The notice and its deliveries are written in one transaction, so nothing is sent twice and nothing is
 * forgotten.
 */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { refuseCursor } from '../keys/index.ts';
import { STAFF_ONLY, tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import { type Channel, SEVERITIES, type Severity, type Terms } from './event-kind.ts';
import { EVENTS, type EventName, isEventName } from './events.ts';
import {
  ALERT_SETTINGS,
  CHANGE_RULE,
  COUNT_UNREAD,
  ENABLED_TARGETS,
  INSERT_DELIVERY,
  INSERT_NOTICE,
  MARK_NOTICES_READ,
  NOTICES_OF_ACCOUNT,
  NOTICES_OF_STAFF,
  type NoticeRow,
  RULES_OF_ACCOUNT,
  type RuleRow,
  SET_QUIET_HOURS,
  TESTS_SINCE,
} from './notice-rows.ts';
import { type StaffAlerts, staffAccount } from './staff/staff-alerts.ts';

export interface NoticeToRaise {
  /** '' for staff. */
  accountId: string;
  /** The one person of staff who is told; the others do not see it. */
  personId?: string;
  event: EventName;
  /**
   * Names the occasion: a notice with the same occasion is raised once, by whichever replica and however often it
   * tries.
   */
  occasion: string;
  data: JsonObject;
  link?: string;
}

export interface Notice {
  id: string;
  event: EventName;
  data: JsonObject;
  link: string | null;
  read: boolean;
  createdAt: Date;
}

export interface AlertRule {
  event: EventName;
  enabled: boolean;
  channels: Channel[];
  terms: Terms;
}

/** The addresses of the people of an account; staff have an outbox and choices of their own (staff/staff-alerts.ts). */
export type Recipients = (tx: Queryable, accountId: string) => Promise<{ email: string[]; sms: string[] }>;

export interface Notices {
  /**
   * Returns true when the occasion was new. Inside a transaction of the caller, the notice is sent only if that
   * commits.
   */
  raise(input: NoticeToRaise, tx?: Queryable): Promise<boolean>;
  /**
   * Sends a test by the channels of the event's rule; returns false when the rule is off. Messages cost money, so tests
   * are limited.
   */
  test(accountId: string, event: EventName): Promise<boolean>;
  list(accountId: string, page: PageRequest): Promise<Page<Notice> & { unread: number }>;
  /** What all of staff are told, and what this person alone is told, without the kinds they do not want to see. */
  listForStaff(personId: string | null, page: PageRequest, without?: readonly EventName[]): Promise<Page<Notice>>;
  markRead(accountId: string): Promise<void>;
  rule(accountId: string, event: EventName): Promise<AlertRule>;
  rules(accountId: string): Promise<AlertRule[]>;
  changeRule(accountId: string, event: EventName, change: Partial<Omit<AlertRule, 'event'>>): Promise<AlertRule>;
  quietHours(accountId: string): Promise<{ from: number; to: number } | null>;
  setQuietHours(accountId: string, hours: { from: number; to: number } | null): Promise<void>;
}

export interface NoticesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  recipients: Recipients;
  /** Absent where staff are told in the console only. */
  staff?: Pick<StaffAlerts, 'put'>;
}

/** Tests of one account in an hour. */
const MAX_TESTS = 20;

export function createNotices(options: NoticesOptions): Notices {
  const { db, clock } = options;
  const settingsOf = async (accountId: string) => {
    return ALERT_SETTINGS.first(db, [accountId]);
  };

  const raise: Notices['raise'] = (input, tx) =>
    tx ? write(options, tx, input) : db.transaction((own) => write(options, own, input));

  return {
    raise,
    async test(accountId, event) {
      if (!merged(event, (await readRules(db, accountId)).get(event)).enabled) return false;
      const nowMs = clock.now();
      const sent = await TESTS_SINCE.rows(db, [accountId, new Date(nowMs - 60 * MINUTE_MS)]);
      if (sent.length >= MAX_TESTS) throw new GatewayError('rate_limited', { retryAfterMs: 60 * MINUTE_MS });
      // At most one a minute of each event, however many are requested.
      const occasion = `test:${Math.floor(nowMs / MINUTE_MS)}`;
      if (await raise({ accountId, event, occasion, data: { test: true } })) return true;
      throw new GatewayError('rate_limited', { retryAfterMs: MINUTE_MS });
    },
    async list(accountId, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const readAt = (await settingsOf(accountId))?.read_at ?? new Date(0);
      const rows = await NOTICES_OF_ACCOUNT.rows(db, [accountId, start.time, start.id, start.fetch]);
      const count = await COUNT_UNREAD.only(db, [accountId, readAt]);
      const notices = rows.flatMap((row) => toNotice(row, readAt));
      const result = toPage(notices, start, ({ createdAt, id }) => ({ time: createdAt, id }));
      return { ...result, unread: Number(count.unread) };
    },
    listForStaff: (personId, page, without = []) => listForStaff(db, personId, page, without),
    async markRead(accountId) {
      await MARK_NOTICES_READ.run(db, [accountId, new Date(clock.now())]);
      await tellChange(db, db, accountId, { what: 'notices', id: '' });
    },
    async rule(accountId, event) {
      return merged(event, (await readRules(db, accountId)).get(event));
    },
    async rules(accountId) {
      const own = await readRules(db, accountId);
      const names = (Object.keys(EVENTS) as EventName[]).filter((name) => !EVENTS[name].staff);
      return names.map((event) => merged(event, own.get(event)));
    },
    async changeRule(accountId, event, { enabled, channels, terms }) {
      // Only the given fields change, so a form that sends one field never clears the others.
      await CHANGE_RULE.run(db, [
        accountId,
        event,
        enabled ?? null,
        channels === undefined ? null : JSON.stringify(channels),
        terms ?? {},
      ]);
      await tellChange(db, db, accountId, { what: 'alerts', id: event });
      return merged(event, (await readRules(db, accountId)).get(event));
    },
    async quietHours(accountId) {
      const row = await settingsOf(accountId);
      const { quiet_from: from = null, quiet_to: to = null } = row ?? {};
      return from === null || to === null ? null : { from, to };
    },
    async setQuietHours(accountId, hours) {
      await SET_QUIET_HOURS.run(db, [accountId, hours?.from ?? null, hours?.to ?? null]);
      await tellChange(db, db, accountId, { what: 'alerts', id: '' });
    },
  };
}

async function listForStaff(
  db: Database,
  personId: string | null,
  page: PageRequest,
  without: readonly EventName[],
): Promise<Page<Notice>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await NOTICES_OF_STAFF.rows(db, [
    without,
    start.time,
    start.id,
    start.fetch,
    personId === null ? null : staffAccount(personId),
  ]);
  const notices = rows.flatMap((row) => toNotice(row, new Date(0)));
  return toPage(notices, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

async function write(options: NoticesOptions, tx: Queryable, input: NoticeToRaise): Promise<boolean> {
  const { accountId, personId, event, occasion, data, link } = input;
  const { clock, randomBytes } = options;
  const rule = merged(event, (await readRules(tx, accountId)).get(event));
  if (!rule.enabled) return false;
  const nowMs = clock.now();
  const id = makeId('ntc', nowMs, randomBytes);
  const row = await INSERT_NOTICE.first(tx, [
    id,
    personId === undefined ? accountId : staffAccount(personId),
    event,
    occasion.slice(0, 300),
    data,
    link ?? null,
    new Date(nowMs),
  ]);
  if (!row) return false;
  if (accountId !== STAFF_ONLY) await putIntoOutbox(options, tx, id, accountId, rule.channels);
  else await options.staff?.put(tx, id, event, severityIn(event, data), personId);
  const what = accountId === STAFF_ONLY ? 'staff_notices' : 'notices';
  await tellChange(options.db, tx, accountId, { what, id });
  return true;
}

/** A kind has a usual severity, but one notice can be more severe. */
function severityIn(event: EventName, { severity }: JsonObject): Severity {
  const known = SEVERITIES.find((one) => one === severity);
  return known ?? EVENTS[event].severity ?? 'warning';
}

async function putIntoOutbox(
  { clock, randomBytes, recipients }: NoticesOptions,
  tx: Queryable,
  noticeId: string,
  accountId: string,
  channels: Channel[],
): Promise<void> {
  const now = new Date(clock.now());
  const insert = (channel: Channel, targetId: string | null, address: string | null) =>
    INSERT_DELIVERY.run(tx, [
      makeId('dlv', now.getTime(), randomBytes),
      noticeId,
      accountId,
      channel,
      targetId,
      address,
      now,
    ]);
  if (channels.includes('webhook')) {
    const targets = await ENABLED_TARGETS.rows(tx, [accountId]);
    for (const { id } of targets) await insert('webhook', id, null);
  }
  if (!channels.includes('email') && !channels.includes('sms')) return;
  const { email, sms } = await recipients(tx, accountId);
  if (channels.includes('email')) for (const address of email) await insert('email', null, address);
  if (channels.includes('sms')) for (const address of sms) await insert('sms', null, address);
}

async function readRules(tx: Queryable, accountId: string): Promise<Map<string, RuleRow>> {
  const rows = await RULES_OF_ACCOUNT.rows(tx, [accountId]);
  return new Map(rows.map((row) => [row.event, row]));
}

function merged(event: EventName, row: RuleRow | undefined): AlertRule {
  const { enabled, channels, terms } = EVENTS[event];
  return {
    event,
    enabled: row?.enabled ?? enabled,
    channels: Array.isArray(row?.channels) ? (row.channels as Channel[]) : channels,
    terms: { ...terms, ...(isJsonObject(row?.terms) ? (row.terms as Terms) : {}) },
  };
}

function toNotice({ id, event, data, link, created_at: createdAt }: NoticeRow, readAt: Date): Notice[] {
  return isEventName(event) ? [{ id, event, data, link, read: createdAt <= readAt, createdAt }] : [];
}
