/**
 * How each member of staff is told: channels per kind, quiet hours, webhooks of their own. Who has chosen nothing gets
 * the channels of the kind if they are an owner or of finance, and otherwise finds it in the console.
 */
import type { StaffRole } from '@dargah/core/roles.ts';
import type { Language } from '@dargah/core/text.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import { STAFF_ONLY, tellChange } from '../../platform/changes.ts';
import type { Database, Queryable } from '../../platform/db/index.ts';
import type { Channel, Severity } from '../event-kind.ts';
import { EVENTS, type EventName } from '../events.ts';
import type { MessageSender } from '../message-sender.ts';
import type { DirectAddress } from '../outages/database-watch.ts';
import {
  CHOOSE_CHANNELS,
  EVERYONE,
  FORGET_CHOICE,
  HIDDEN_EVENTS,
  INSERT_STAFF_DELIVERY,
  INSERT_TEST_NOTICE,
  type PersonRow,
  SET_STAFF_QUIET,
  STAFF_TESTS_SINCE,
} from './staff-alert-rows.ts';

export interface StaffQuiet {
  /** Minutes of the day in Tehran; null without quiet hours. */
  hours: { from: number; to: number } | null;
  /** True when quiet hours also hold back critical notices. */
  holdsAll: boolean;
}

export interface StaffPerson extends StaffQuiet {
  id: string;
  name: string;
  role: StaffRole;
  language: Language;
  email: string[];
  sms: string[];
  targets: string[];
  /** Only the kinds for which they have chosen. */
  chosen: Partial<Record<EventName, Channel[]>>;
}

export interface StaffAlerts {
  /** Everybody of staff who is not blocked. */
  everyone(tx?: Queryable): Promise<StaffPerson[]>;
  of(personId: string): Promise<StaffPerson>;
  /** Kinds that this person does not want to see in the console. */
  hiddenFrom(personId: string): Promise<EventName[]>;
  /** With null the channels of the kind apply again. */
  choose(personId: string, event: EventName, channels: Channel[] | null): Promise<void>;
  setQuiet(personId: string, quiet: StaffQuiet): Promise<void>;
  /** Puts the messages of a notice for staff into their outbox, in the transaction that writes the notice. */
  put(tx: Queryable, noticeId: string, event: EventName, severity: Severity, onlyTo?: string): Promise<void>;
  /** Sends a test message to oneself by one channel. Messages cost money, so tests are limited. */
  test(personId: string, channel: Exclude<Channel, 'console'>): Promise<void>;
  /** The people who get an alert that cannot be recorded. */
  direct(event: EventName): Promise<DirectAddress[]>;
}

export interface StaffAlertsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  messenger: Pick<MessageSender, 'can'>;
}

/** The list of a notice that only one member of staff is told. */
export const staffAccount = (personId: string): string => `staff:${personId}`;

/** The roles that get more than the console unless they chose otherwise. */
const IN_CHARGE: readonly StaffRole[] = ['owner', 'finance'];
const MAX_TESTS = 20;
/** A test carries an event with content; the message itself says that it is a test. */
const TEST_EVENT: EventName = 'model.failing';

export function channelsOf({ role, chosen }: Pick<StaffPerson, 'role' | 'chosen'>, event: EventName): Channel[] {
  return chosen[event] ?? (IN_CHARGE.includes(role) ? EVENTS[event].channels : ['console']);
}

export function createStaffAlerts(options: StaffAlertsOptions): StaffAlerts {
  const { db, messenger } = options;
  const everyone: StaffAlerts['everyone'] = async (tx = db) => (await EVERYONE.rows(tx)).map(toPerson);
  const told = (person: StaffPerson, event: EventName) => deliveriesTo(person, channelsOf(person, event), messenger);
  return {
    everyone,
    async of(personId) {
      const found = (await everyone()).find(({ id }) => id === personId);
      if (!found) throw new GatewayError('not_found');
      return found;
    },
    async hiddenFrom(personId) {
      const rows = await HIDDEN_EVENTS.rows(db, [personId]);
      return rows.map(({ event }) => event);
    },
    async choose(personId, event, channels) {
      if (channels === null) await FORGET_CHOICE.run(db, [personId, event]);
      else await CHOOSE_CHANNELS.run(db, [personId, event, JSON.stringify([...new Set(channels)])]);
      await tellChange(db, db, STAFF_ONLY, { what: 'staff', id: personId });
    },
    async setQuiet(personId, { hours, holdsAll }) {
      await SET_STAFF_QUIET.run(db, [personId, hours?.from ?? null, hours?.to ?? null, holdsAll]);
      await tellChange(db, db, STAFF_ONLY, { what: 'staff', id: personId });
    },
    async put(tx, noticeId, event, severity, onlyTo) {
      const people = await everyone(tx);
      for (const person of onlyTo === undefined ? people : people.filter(({ id }) => id === onlyTo))
        for (const delivery of told(person, event))
          await insert(options, tx, { noticeId, severity, person, ...delivery });
    },
    async test(personId, channel) {
      const person = (await everyone()).find(({ id }) => id === personId);
      const deliveries = person === undefined ? [] : deliveriesTo(person, [channel], messenger);
      if (person === undefined || deliveries.length === 0) throw new GatewayError('conflict', { reason: noWay });
      await db.transaction(async (tx) => {
        const noticeId = await writeTest(options, tx, personId, channel);
        for (const delivery of deliveries)
          await insert(options, tx, { noticeId, severity: 'critical', person, ...delivery });
      });
    },
    async direct(event) {
      return (await everyone()).flatMap((person) =>
        told(person, event).flatMap(({ channel, address }) =>
          channel === 'webhook' || address === null ? [] : [{ channel, to: address, language: person.language }],
        ),
      );
    },
  };
}

interface Delivery {
  channel: 'email' | 'sms' | 'webhook';
  targetId: string | null;
  address: string | null;
}

function deliveriesTo(
  person: StaffPerson,
  channels: readonly Channel[],
  messenger: Pick<MessageSender, 'can'>,
): Delivery[] {
  const to = (channel: 'email' | 'sms') =>
    channels.includes(channel) && messenger.can(channel)
      ? person[channel].map((address) => ({ channel, targetId: null, address }))
      : [];
  const hooks = channels.includes('webhook')
    ? person.targets.map((targetId) => ({ channel: 'webhook' as const, targetId, address: null }))
    : [];
  return [...to('email'), ...to('sms'), ...hooks];
}

async function insert(
  { clock, randomBytes }: StaffAlertsOptions,
  tx: Queryable,
  {
    noticeId,
    severity,
    person,
    channel,
    targetId,
    address,
  }: Delivery & { noticeId: string; severity: Severity; person: StaffPerson },
): Promise<void> {
  const now = new Date(clock.now());
  await INSERT_STAFF_DELIVERY.run(tx, [
    makeId('sdl', now.getTime(), randomBytes),
    noticeId,
    person.id,
    channel,
    targetId,
    address,
    severity,
    now,
  ]);
}

/** A test is in nobody's list, because the person sees it where it was sent. */
async function writeTest(
  { clock, randomBytes }: StaffAlertsOptions,
  tx: Queryable,
  personId: string,
  channel: Channel,
): Promise<string> {
  const nowMs = clock.now();
  const account = staffAccount(personId);
  const sent = await STAFF_TESTS_SINCE.rows(tx, [account, new Date(nowMs - HOUR_MS)]);
  if (sent.length >= MAX_TESTS) throw new GatewayError('rate_limited', { retryAfterMs: HOUR_MS });
  const id = makeId('ntc', nowMs, randomBytes);
  const occasion = `test:${channel}:${Math.floor(nowMs / MINUTE_MS)}`;
  const row = await INSERT_TEST_NOTICE.first(tx, [id, account, TEST_EVENT, occasion, { test: true }, new Date(nowMs)]);
  if (!row) throw new GatewayError('rate_limited', { retryAfterMs: MINUTE_MS });
  return id;
}

function toPerson(row: PersonRow): StaffPerson {
  const { id, name, role, language, quiet_from: from, quiet_to: to } = row;
  return {
    id,
    name,
    role,
    language,
    hours: from === null || to === null ? null : { from, to },
    holdsAll: row.holds_all ?? false,
    email: row.email ?? [],
    sms: row.sms ?? [],
    targets: row.targets ?? [],
    chosen: (row.chosen ?? {}) as StaffPerson['chosen'],
  };
}

const noWay = {
  fa: 'برای این کانال آدرس یا فرستنده‌ای نیست.',
  en: 'There is no address or no carrier for this channel.',
};
