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
import { makeWebhookSecret } from './webhook-signature.ts';

export interface AlertTarget {
  id: string;
  url: string;
  enabled: boolean;
  problem: string | null;
  createdAt: Date;
}

export interface AlertDelivery {
  id: string;
  noticeId: string;
  event: EventName;
  channel: 'email' | 'sms' | 'webhook';
  to: string;
  state: 'waiting' | 'sent' | 'failed' | 'suppressed';
  tries: number;
  lastStatus: number | null;
  lastProblem: string | null;
  nextTryAt: Date | null;
  createdAt: Date;
  sentAt: Date | null;
}

type DeliveryRow = Omit<AlertDelivery, 'event'> & { event: string };

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
const COLUMNS = `id, url, enabled, problem, created_at as "createdAt"`;
const DELIVERY = `d.id, d.notice_id as "noticeId", n.event, d.channel, coalesce(t.url, d.address, '') as "to", d.state, d.tries,
  d.last_status as "lastStatus", d.last_problem as "lastProblem", d.next_try_at as "nextTryAt", d.created_at as "createdAt",
  d.sent_at as "sentAt"`;
const DELIVERIES = `select ${DELIVERY} from notice_delivery d join notice n on n.id = d.notice_id
  left join alert_target t on t.id = d.target_id`;

export function createTargets(options: TargetsOptions): AlertTargets {
  const { db, clock, randomBytes, secrets, isTrusted = () => false } = options;
  const tell = (accountId: string, id: string) => tellChange(db, db, accountId, { what: 'alerts', id });
  return {
    list: (accountId) =>
      db.query<AlertTarget>(`select ${COLUMNS} from alert_target where account_id = $1 order by created_at, id`, [
        accountId,
      ]),
    async add(accountId, url) {
      checkTarget(url, isTrusted);
      const secret = makeWebhookSecret(randomBytes);
      const nowMs = clock.now();
      const id = makeId('hook', nowMs, randomBytes);
      const row = await db.transaction(async (tx) => {
        // Those of an account take turns: of many added at once, each counts the ones before it.
        await lockUntilCommit(tx, `alert targets of ${accountId}`);
        const [count] = await tx.query<{ n: bigint }>('select count(*) as n from alert_target where account_id = $1', [
          accountId,
        ]);
        if (Number(count?.n ?? 0) >= MAX_TARGETS) throw new GatewayError('conflict', { reason: tooMany });
        const [made] = await tx.query<AlertTarget>(
          `insert into alert_target (id, account_id, url, sealed, enabled, created_at) values ($1, $2, $3, $4, true, $5)
           returning ${COLUMNS}`,
          [id, accountId, url, secrets.seal(secret), new Date(nowMs)],
        );
        return made;
      });
      await tell(accountId, id);
      return { ...(row as AlertTarget), secret };
    },
    async enable(accountId, id) {
      const [row] = await db.query<AlertTarget>(
        `update alert_target set enabled = true, problem = null, failing_since = null where id = $1 and account_id = $2
         returning ${COLUMNS}`,
        [id, accountId],
      );
      if (row) await tell(accountId, id);
      return row ?? noSuch('alert target', id);
    },
    async remove(accountId, id) {
      const rows = await db.query('delete from alert_target where id = $1 and account_id = $2 returning id', [
        id,
        accountId,
      ]);
      if (rows.length === 0) noSuch('alert target', id);
      await tell(accountId, id);
    },
    async deliveries(accountId, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const rows = await db.query<DeliveryRow>(
        `${DELIVERIES} where d.account_id = $1 and ($2::timestamptz is null or (d.created_at, d.id) < ($2, $3))
         order by d.created_at desc, d.id desc limit $4`,
        [accountId, start.time, start.id, start.fetch],
      );
      const { items, next } = toPage(rows, start, ({ createdAt, id }) => ({ time: createdAt, id }));
      return { items: items.flatMap(shown), next };
    },
    async replay(accountId, deliveryId) {
      const [row] = await db.query<{ id: string }>(
        `update notice_delivery set state = 'waiting', tries = 0, first_try_at = null, next_try_at = $3, leased_until = null
         where id = $1 and account_id = $2 and channel = 'webhook' returning id`,
        [deliveryId, accountId, new Date(clock.now())],
      );
      if (!row) return noSuch('delivery', deliveryId);
      await tell(accountId, deliveryId);
      const found = await db.query<DeliveryRow>(`${DELIVERIES} where d.id = $1`, [deliveryId]);
      return found.flatMap(shown)[0] ?? noSuch('delivery', deliveryId);
    },
  };
}

/** An address that messages may be posted to; which networks it may lead into is the safe fetcher's to say. */
export function checkTarget(url: string, isTrusted: (url: URL) => boolean): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const fits = parsed && (parsed.protocol === 'https:' || isTrusted(parsed)) && parsed.username === '';
  if (!fits) throw invalidRequest('url', reasons.mustBe('url', expected.httpsAddress));
}

/**
 * People's addresses are not spelled out in a log that every member reads. An event that only another version knows has no words
 * here, and is left out as its notice is.
 */
function shown({ event, ...delivery }: DeliveryRow): AlertDelivery[] {
  if (!isEventName(event)) return [];
  const to = delivery.channel === 'webhook' ? delivery.to : delivery.to.replace(/^(.{2}).*(.{2})$/, '$1…$2');
  return [{ ...delivery, event, to }];
}

const tooMany = { fa: `بیش از ${MAX_TARGETS} آدرس نمی‌شود.`, en: `No more than ${MAX_TARGETS} targets.` };
