/**
 * Sends what waits for staff. Replicas share the work by leases; a failure is tried again, later each time, for a day.
 * Quiet hours hold back warnings, and everything for people who chose that. A webhook that fails all day is switched
 * off.
 */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { Clock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { STAFF_ONLY, tellChange } from '../../platform/changes.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { SafePost } from '../../platform/upstream/index.ts';
import { type CarryOutcome, carryMessage, postWebhook } from '../carry.ts';
import { leaseOf, noteTry, putOff } from '../deliveries.ts';
import type { MessageSender } from '../message-sender.ts';
import { endOfQuiet } from '../quiet-hours.ts';
import { type DueStaffDelivery, SWITCH_OFF_STAFF_TARGET, TAKE_STAFF_DELIVERIES } from './staff-alert-rows.ts';

export interface StaffOutboxOptions {
  db: Database;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  post: SafePost;
  messenger: MessageSender;
  /** The origin of the service as customers and staff see it, where it is known; links in messages begin with it. */
  origin: string | undefined;
  chance(): number;
}

const CALENDAR = { timeZone: HOME_ZONE, month: 'jalali' as const };
const MAX_CHARACTERS = 200;
/** Control characters, direction marks and what HTML begins with. */
const STEERING = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069<>]/gu;

export class StaffOutbox {
  readonly #options: StaffOutboxOptions;

  constructor(options: StaffOutboxOptions) {
    this.#options = options;
  }

  /** Returns how many were tried. */
  async deliverDue(max: number): Promise<number> {
    const { db, clock } = this.#options;
    const nowMs = clock.now();
    const due = await TAKE_STAFF_DELIVERIES.rows(db, leaseOf(nowMs, max));
    await Promise.all(due.map((row) => this.#deliver(row)));
    return due.length;
  }

  async #deliver(row: DueStaffDelivery): Promise<void> {
    const { db, clock, chance } = this.#options;
    const until = this.#quietUntil(row);
    if (until !== undefined) {
      await putOff(db, 'staff_delivery', row.id, until);
      return;
    }
    const outcome = await this.#carry(row);
    const moment = { nowMs: clock.now(), chance: chance() };
    const state = await noteTry(db, 'staff_delivery', row, outcome, moment);
    if (state === 'failed' && row.target_id !== null && !outcome.done)
      await this.#switchOff(row.target_id, outcome.problem);
  }

  #carry({
    id,
    channel,
    address,
    event,
    data,
    link,
    noticed_at: at,
    notice_id: noticeId,
    ...row
  }: DueStaffDelivery): Promise<CarryOutcome> {
    if (channel === 'webhook')
      return postWebhook(this.#options, {
        id,
        event,
        data,
        at,
        noticeId,
        url: row.url,
        sealed: row.sealed,
        isOn: row.target_enabled !== false,
      });
    const { origin } = this.#options;
    const tools = { ...this.#options, languageOf: async () => row.language };
    const leads = link === null || origin === undefined ? undefined : origin.replace(/\/$/, '') + link;
    return carryMessage(tools, { id, event, data: plainData(data), channel, address, link: leads });
  }

  /**
   * When the quiet hours that hold this message back end. Webhooks wake nobody; the program behind them has quiet hours
   * of its own.
   */
  #quietUntil(row: DueStaffDelivery): Date | undefined {
    const { quiet_from: from, quiet_to: to, severity, data } = row;
    if (row.channel === 'webhook' || from === null || to === null || data['test'] === true) return undefined;
    if (severity !== 'warning' && row.holds_all !== true) return undefined;
    const until = endOfQuiet({ from, to }, CALENDAR, this.#options.clock.now());
    return until === undefined ? undefined : new Date(until);
  }

  async #switchOff(id: string, problem: string): Promise<void> {
    const { db, clock } = this.#options;
    await SWITCH_OFF_STAFF_TARGET.run(db, [id, problem, new Date(clock.now())]);
    await tellChange(db, db, STAFF_ONLY, { what: 'staff', id });
  }
}

/**
 * What stands in a message to staff, on one line and without what steers a screen: a name from a catalog or a customer's subject
 * must not write a second line, hide a word or look like markup.
 */
function plainData(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([field, value]) => [field, plainValue(value ?? null)]));
}

function plainValue(value: Json): Json {
  return typeof value === 'string' ? value.replace(STEERING, ' ').slice(0, MAX_CHARACTERS) : value;
}
