/**
 * Sends what waits in the outbox: webhooks signed and through the safe fetcher, e-mail and SMS through the messenger.
 * Replicas share the work by leases; a failure is tried again, later each time, for a day. A target that fails all day
 * is switched off, and the account is told by another channel.
 */

import type { Language } from '@dargah/core/text.ts';
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { plainName } from '../core/plain-name.ts';
import { type Calendar, parseCalendar } from '../keys/index.ts';
import { tellChange } from '../platform/changes.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { SafePost } from '../platform/upstream/index.ts';
import { type CarryOutcome, carryMessage, postWebhook } from './carry.ts';
import { leaseOf, noteTry, putOff } from './deliveries.ts';
import { type DueDelivery, TAKE_DELIVERIES } from './delivery-rows.ts';
import { EVENTS, isEventName } from './events.ts';
import type { MessageSender } from './message-sender.ts';
import type { Notices } from './notices.ts';
import { endOfQuiet } from './quiet-hours.ts';
import { switchOffTarget } from './switch-off.ts';

export interface OutboxOptions {
  db: Database;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  post: SafePost;
  messenger: MessageSender;
  /** The language of the person who has this address. */
  languageOf(address: string): Promise<Language>;
  notices: Notices;
  /** A random number between 0 and 1, which spreads the retries of many targets. */
  chance(): number;
  /** The origin of the service as customers see it, where it is known; links in messages begin with it. */
  origin?: string | undefined;
  /** The longest wait for a target's whole answer; fifteen seconds by default. */
  timeoutMs?: number;
}

export class NoticeOutbox {
  readonly #options: OutboxOptions;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Returns how many were tried. */
  async deliverDue(max: number): Promise<number> {
    const { db, clock } = this.#options;
    const nowMs = clock.now();
    const due = await TAKE_DELIVERIES.rows(db, leaseOf(nowMs, max));
    await Promise.all(due.map((row) => this.#deliver(row)));
    return due.length;
  }

  async #deliver(row: DueDelivery): Promise<void> {
    if (row.channel !== 'webhook' && (await this.#isQuiet(row))) return;
    const outcome = await this.#carry(row);
    const { db, clock } = this.#options;
    const moment = { nowMs: clock.now(), chance: this.#options.chance() };
    const state = await noteTry(db, 'notice_delivery', row, outcome, moment);
    if (state === 'failed' && row.target_id !== null) await switchOffTarget(this.#options, row, outcome);
    await tellChange(db, db, row.account_id, { what: 'alerts', id: row.id });
  }

  #carry(row: DueDelivery): Promise<CarryOutcome> {
    const { id, event, channel, address } = row;
    const link = this.#linkOf(row);
    const data = link === undefined ? row.data : { ...row.data, link };
    if (channel === 'webhook')
      return postWebhook(this.#options, {
        id,
        event,
        data,
        at: row.noticed_at,
        noticeId: row.notice_id,
        ...targetOf(row),
      });
    const isShown = channel === 'email' || (isEventName(event) && EVENTS[event].leads === true);
    const shown = isShown ? link : undefined;
    return carryMessage(this.#options, { id, event, data: withPlainNames(row.data), channel, address, link: shown });
  }

  #linkOf({ link, data }: DueDelivery): string | undefined {
    const { origin } = this.#options;
    return link === null || origin === undefined || data['test'] === true
      ? undefined
      : origin.replace(/\/$/, '') + link;
  }

  /** Waits until the quiet hours of the account end; true while they last. */
  async #isQuiet(row: DueDelivery): Promise<boolean> {
    const { notices, clock, db } = this.#options;
    const hours = await notices.quietHours(row.account_id);
    const calendar: Calendar | undefined = row.calendar === null ? undefined : parseCalendar(row.calendar);
    const until = hours && calendar ? endOfQuiet(hours, calendar, clock.now()) : undefined;
    if (until === undefined) return false;
    await putOff(db, 'notice_delivery', row.id, new Date(until));
    return true;
  }
}

function targetOf({ url, sealed, target_enabled: on }: DueDelivery) {
  return { url, sealed, isOn: on !== false };
}

/** Fields that customers wrote and that notices repeat. */
const WRITTEN_BY_CUSTOMERS = ['name', 'subject', 'url'];

function withPlainNames(data: JsonObject): JsonObject {
  const plain = WRITTEN_BY_CUSTOMERS.flatMap((field) => {
    const value = data[field];
    return typeof value === 'string' ? [[field, plainName(value) || '—']] : [];
  });
  return { ...data, ...Object.fromEntries(plain) };
}
