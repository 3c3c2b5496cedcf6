/**
 * Notices of an account: raised once per occasion, shown in the console, and put into the outbox for the channels of its rule.
 * The notice and its deliveries are one transaction, so nothing is told twice and nothing is forgotten.
 */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { refuseCursor } from '../keys/index.ts';
import { STAFF_ONLY, tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import { type Channel, SEVERITIES, type Severity, type Terms } from './event-kind.ts';
import { EVENTS, type EventName, isEventName } from './events.ts';
import { type StaffAlerts, staffAccount } from './staff/staff-alerts.ts';

export interface NoticeToRaise {
  /** '' for staff. */
  accountId: string;
  /** One of staff, who alone is told; the others do not see it. */
  personId?: string;
  event: EventName;
  /** Names the occasion: a notice with the same occasion is told once, whoever raises it and however often. */
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

/** Where people of an account can be reached; staff have an outbox and choices of their own (staff/staff-alerts.ts). */
export type Recipients = (tx: Queryable, accountId: string) => Promise<{ email: string[]; sms: string[] }>;

export interface Notices {
  /** True when it was news. Inside a transaction of the caller, it is told only if that commits. */
  raise(input: NoticeToRaise, tx?: Queryable): Promise<boolean>;
  /** A test by the channels of the event's rule; false when the rule is off. Messages cost money, so they are few. */
  test(accountId: string, event: EventName): Promise<boolean>;
  list(accountId: string, page: PageRequest): Promise<Page<Notice> & { unread: number }>;
  /** What all of staff are told, and this one alone, without the kinds they do not want to see. */
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
  /** Absent where staff only look into the console. */
  staff?: Pick<StaffAlerts, 'put'>;
}

/** Tests of one account in an hour. */
const MAX_TESTS = 20;

export function createNotices(options: NoticesOptions): Notices {
  const { db, clock } = options;
  const settingsOf = async (accountId: string) => {
    const [row] = await db.query<{ quiet_from: number | null; quiet_to: number | null; read_at: Date | null }>(
      'select quiet_from, quiet_to, read_at from alert_settings where account_id = $1',
      [accountId],
    );
    return row;
  };

  const raise: Notices['raise'] = (input, tx) =>
    tx ? write(options, tx, input) : db.transaction((own) => write(options, own, input));

  return {
    raise,
    async test(accountId, event) {
      if (!merged(event, (await readRules(db, accountId)).get(event)).enabled) return false;
      const nowMs = clock.now();
      const sent = await db.query(
        `select from notice where account_id = $1 and occasion like 'test:%' and created_at > $2`,
        [accountId, new Date(nowMs - 60 * MINUTE_MS)],
      );
      if (sent.length >= MAX_TESTS) throw new GatewayError('rate_limited', { retryAfterMs: 60 * MINUTE_MS });
      // One a minute of each event, also when many are asked for at once.
      const occasion = `test:${Math.floor(nowMs / MINUTE_MS)}`;
      if (await raise({ accountId, event, occasion, data: { test: true } })) return true;
      throw new GatewayError('rate_limited', { retryAfterMs: MINUTE_MS });
    },
    async list(accountId, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const readAt = (await settingsOf(accountId))?.read_at ?? new Date(0);
      const rows = await db.query<NoticeRow>(newest('account_id = $1'), [accountId, start.time, start.id, start.fetch]);
      const [count] = await db.query<{ unread: bigint }>(
        'select count(*) as unread from notice where account_id = $1 and created_at > $2',
        [accountId, readAt],
      );
      const notices = rows.flatMap((row) => toNotice(row, readAt));
      const result = toPage(notices, start, ({ createdAt, id }) => ({ time: createdAt, id }));
      return { ...result, unread: Number(count?.unread ?? 0) };
    },
    listForStaff: (personId, page, without = []) => listForStaff(db, personId, page, without),
    async markRead(accountId) {
      await db.query(
        `insert into alert_settings (account_id, read_at) values ($1, $2)
         on conflict (account_id) do update set read_at = excluded.read_at`,
        [accountId, new Date(clock.now())],
      );
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
      // Only the fields given change: a form that sends one never drops the others.
      await db.query(
        `insert into alert_rule (account_id, event, enabled, channels, terms) values ($1, $2, $3, $4::jsonb, $5)
         on conflict (account_id, event) do update set enabled = coalesce(excluded.enabled, alert_rule.enabled),
           channels = coalesce(excluded.channels, alert_rule.channels), terms = alert_rule.terms || excluded.terms`,
        [accountId, event, enabled ?? null, channels === undefined ? null : JSON.stringify(channels), terms ?? {}],
      );
      await tellChange(db, db, accountId, { what: 'alerts', id: event });
      return merged(event, (await readRules(db, accountId)).get(event));
    },
    async quietHours(accountId) {
      const row = await settingsOf(accountId);
      const { quiet_from: from = null, quiet_to: to = null } = row ?? {};
      return from === null || to === null ? null : { from, to };
    },
    async setQuietHours(accountId, hours) {
      await db.query(
        `insert into alert_settings (account_id, quiet_from, quiet_to) values ($1, $2, $3)
         on conflict (account_id) do update set quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`,
        [accountId, hours?.from ?? null, hours?.to ?? null],
      );
      await tellChange(db, db, accountId, { what: 'alerts', id: '' });
    },
  };
}

/** $2 and $3: where the page before ended; $4: how many. */
const newest = (whose: string) => `select id, event, data, link, created_at from notice where ${whose}
  and ($2::timestamptz is null or (created_at, id) < ($2, $3)) order by created_at desc, id desc limit $4`;

async function listForStaff(
  db: Database,
  personId: string | null,
  page: PageRequest,
  without: readonly EventName[],
): Promise<Page<Notice>> {
  const start = startOfPage(page) ?? refuseCursor();
  // Each part follows its index, however many notices the other has. Tests belong to nobody's list.
  const rows = await db.query<NoticeRow>(
    `select * from (
       (${newest(`account_id = '' and event <> all($1::text[])`)}) union all
       (${newest(`account_id = $5 and occasion not like 'test:%' and event <> all($1::text[])`)})) as told
     order by created_at desc, id desc limit $4`,
    [without, start.time, start.id, start.fetch, personId === null ? null : staffAccount(personId)],
  );
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
  const [row] = await tx.query(
    `insert into notice (id, account_id, event, occasion, data, link, created_at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (account_id, event, occasion) do nothing returning id`,
    [
      id,
      personId === undefined ? accountId : staffAccount(personId),
      event,
      occasion.slice(0, 300),
      data,
      link ?? null,
      new Date(nowMs),
    ],
  );
  if (!row) return false;
  if (accountId !== STAFF_ONLY) await putIntoOutbox(options, tx, id, accountId, rule.channels);
  else await options.staff?.put(tx, id, event, severityIn(event, data), personId);
  const what = accountId === STAFF_ONLY ? 'staff_notices' : 'notices';
  await tellChange(options.db, tx, accountId, { what, id });
  return true;
}

/** What is grave by its kind can be graver this time. */
function severityIn(event: EventName, { severity }: JsonObject): Severity {
  const said = SEVERITIES.find((one) => one === severity);
  return said ?? EVENTS[event].severity ?? 'warning';
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
    tx.query(
      `insert into notice_delivery (id, notice_id, account_id, channel, target_id, address, state, next_try_at, created_at)
       values ($1, $2, $3, $4, $5, $6, 'waiting', $7, $7)`,
      [makeId('dlv', now.getTime(), randomBytes), noticeId, accountId, channel, targetId, address, now],
    );
  if (channels.includes('webhook')) {
    const targets = await tx.query<{ id: string }>(
      'select id from alert_target where account_id = $1 and enabled order by created_at',
      [accountId],
    );
    for (const { id } of targets) await insert('webhook', id, null);
  }
  if (!channels.includes('email') && !channels.includes('sms')) return;
  const { email, sms } = await recipients(tx, accountId);
  if (channels.includes('email')) for (const address of email) await insert('email', null, address);
  if (channels.includes('sms')) for (const address of sms) await insert('sms', null, address);
}

interface RuleRow {
  event: string;
  enabled: boolean | null;
  channels: Json;
  terms: Json;
}

async function readRules(tx: Queryable, accountId: string): Promise<Map<string, RuleRow>> {
  const rows = await tx.query<RuleRow>('select event, enabled, channels, terms from alert_rule where account_id = $1', [
    accountId,
  ]);
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

interface NoticeRow {
  id: string;
  event: string;
  data: JsonObject;
  link: string | null;
  created_at: Date;
}

function toNotice({ id, event, data, link, created_at: createdAt }: NoticeRow, readAt: Date): Notice[] {
  return isEventName(event) ? [{ id, event, data, link, read: createdAt <= readAt, createdAt }] : [];
}
