/** Webhook targets of an account, and the log of what was delivered where. */
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { reasons } from '../core/reasons.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import { tellChange } from '../platform/changes.ts';
import { type Database, lockUntilCommit } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { type EventName, isEventName } from './events.ts';
import {
  type AlertTarget,
  COUNT_TARGETS,
  DELETE_TARGET,
  DELIVERIES_OF_ACCOUNT,
  DELIVERY_BY_ID,
  type DeliveryRow,
  ENABLE_TARGET,
  INSERT_TARGET,
  REPLAY_DELIVERY,
  TARGETS_OF_ACCOUNT,
} from './target-rows.ts';
import { makeWebhookSecret } from './webhook-signature.ts';

export interface AlertDelivery extends DeliveryRow {
  event: EventName;
}

export interface AlertTargets {
  list(accountId: string): Promise<AlertTarget[]>;
  add(accountId: string, url: string): Promise<AlertTarget & { secret: string }>;
  enable(accountId: string, id: string): Promise<AlertTarget>;
  remove(accountId: string, id: string): Promise<void>;
  deliveries(accountId: string, page: PageRequest): Promise<Page<AlertDelivery>>;
  /** Webhooks only: messages to people are not sent again and again at the operator's cost. */
  replay(accountId: string, deliveryId: string): Promise<AlertDelivery>;
}

export interface TargetsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  secrets: SecretBox;
  /** For tests, whose targets have no TLS. The service itself trusts none. */
  isTrusted?(url: URL): boolean;
}

const MAX_TARGETS = 10;

export function createTargets(options: TargetsOptions): AlertTargets {
  const { db, clock, randomBytes, secrets, isTrusted = () => false } = options;
  const tell = (accountId: string, id: string) => tellChange(db, db, accountId, { what: 'alerts', id });
  return {
    list: (accountId) => TARGETS_OF_ACCOUNT.rows(db, [accountId]),
    async add(accountId, url) {
      checkTarget(url, isTrusted);
      const secret = makeWebhookSecret(randomBytes);
      const nowMs = clock.now();
      const id = makeId('hook', nowMs, randomBytes);
      const row = await db.transaction(async (tx) => {
        // Changes of one account wait for each other: of many targets added at once, each counts the ones before it.
        await lockUntilCommit(tx, `alert targets of ${accountId}`);
        const count = await COUNT_TARGETS.only(tx, [accountId]);
        if (Number(count.n) >= MAX_TARGETS) throw new GatewayError('conflict', { reason: tooMany });
        return INSERT_TARGET.only(tx, [id, accountId, url, secrets.seal(secret), new Date(nowMs)]);
      });
      await tell(accountId, id);
      return { ...row, secret };
    },
    async enable(accountId, id) {
      const row = await ENABLE_TARGET.first(db, [id, accountId]);
      if (row) await tell(accountId, id);
      return row ?? noSuch('alert target', id);
    },
    async remove(accountId, id) {
      const rows = await DELETE_TARGET.rows(db, [id, accountId]);
      if (rows.length === 0) noSuch('alert target', id);
      await tell(accountId, id);
    },
    async deliveries(accountId, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const rows = await DELIVERIES_OF_ACCOUNT.rows(db, [accountId, start.time, start.id, start.fetch]);
      const { items, next } = toPage(rows, start, ({ createdAt, id }) => ({ time: createdAt, id }));
      return { items: items.flatMap(shown), next };
    },
    async replay(accountId, deliveryId) {
      const row = await REPLAY_DELIVERY.first(db, [deliveryId, accountId, new Date(clock.now())]);
      if (!row) return noSuch('delivery', deliveryId);
      await tell(accountId, deliveryId);
      const found = await DELIVERY_BY_ID.rows(db, [deliveryId]);
      return found.flatMap(shown)[0] ?? noSuch('delivery', deliveryId);
    },
  };
}

/** Checks the form of a target's address; the safe fetcher decides which networks it may reach. */
export function checkTarget(url: string, isTrusted: (url: URL) => boolean): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const fits = parsed && (parsed.protocol === 'https:' || isTrusted(parsed)) && parsed.username === '';
  if (!fits) throw invalidRequest('url', reasons.mustBe('url', expected.httpsAddress));
}

/**
 * Contacts are masked, because every member reads the log. An event that only another version knows has no text here,
 * and is left out as its notice is.
 */
function shown({ event, ...delivery }: DeliveryRow): AlertDelivery[] {
  if (!isEventName(event)) return [];
  const to = delivery.channel === 'webhook' ? delivery.to : delivery.to.replace(/^(.{2}).*(.{2})$/, '$1…$2');
  return [{ ...delivery, event, to }];
}

const tooMany = { fa: `بیش از ${MAX_TARGETS} آدرس نمی‌شود.`, en: `No more than ${MAX_TARGETS} targets.` };
