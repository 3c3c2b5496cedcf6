/**
 * Looks at what was posted and tells people of it. It reads rows that posting has written anyway, so requests pay nothing for
 * it; one replica looks at a time, and a notice exists once per occasion whoever raises it.
 */
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money, parseToman, toTomanText } from '../core/money.ts';
import {
  type AccountRules,
  CAP_PERIODS,
  type Calendar,
  capBudget,
  type KeyService,
  parseCalendar,
  periodOf,
  readStoredAccountRules,
} from '../keys/index.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { Terms } from './events.ts';
import type { Notices } from './notices.ts';
import { paceOf } from './pace.ts';

export interface WatchOptions {
  db: Database;
  clock: Clock;
  log: Log;
  notices: Notices;
  keys: Pick<KeyService, 'update'>;
}

const DAY_MS = 86_400_000;
/** A balance must rise clearly above the line before falling below it is news again. */
const RECOVERED = { times: 6n, of: 5n };
/** Too little history or money to call anything unusual. */
const LEAST_DAYS = 3;
const LEAST_SPEND = money(10_000_000_000n);
const LEAST_REQUESTS = 20;

interface Owner {
  accountId: string;
  calendar: Calendar;
  rules: AccountRules;
}

interface OwnKey {
  id: string;
  name: string;
  caps: AccountRules['caps'];
  expiresAt: string | null;
}

export class Watch {
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Everything, for accounts that spent something since yesterday. */
  async look(): Promise<void> {
    const { db, clock, log } = this.#options;
    const since = new Date(clock.now() - DAY_MS);
    const active = await db.query<{ id: string; calendar: JsonObject; rules: JsonObject }>(
      `select id, calendar, rules from account
       where id in (select distinct account_id from usage_daily where day >= $1::date)`,
      [since],
    );
    for (const { id, calendar, rules } of active) {
      const owner = { accountId: id, calendar: parseCalendar(calendar), rules: readStoredAccountRules(rules) };
      await this.lookAt(owner).catch((error: unknown) =>
        log.warn({ account: id, err: error }, 'an account was not watched'),
      );
    }
    await this.#expiring();
    await this.#stuckPayments();
    await this.#catalogNews();
  }

  async lookAt(owner: Owner): Promise<void> {
    const keys = await this.#keysOf(owner.accountId);
    await this.#balance(owner);
    await this.#caps(owner, 'account', { id: owner.accountId, name: '', caps: owner.rules.caps });
    for (const key of keys) await this.#caps(owner, 'key', key);
    await this.#unusual(owner, keys);
    await this.#errors(owner);
  }

  async #balance({ accountId }: Owner): Promise<void> {
    const { db, clock, notices } = this.#options;
    const { enabled, terms } = await notices.rule(accountId, 'balance.low');
    if (!enabled) return;
    const [row] = await db.query<{ posted: string }>(
      'select posted::text as posted from ledger_account where id = $1',
      [`wallet:${accountId}`],
    );
    const balance = money(BigInt(row?.posted ?? 0));
    const daily = await paceOf(db, accountId, clock.now());
    const daysLeft = daily > 0n ? Number(balance / daily) : null;
    const line = (parseToman(terms.below ?? '') ?? 0n) as bigint;
    const days = terms.days_left ?? 0;
    const low = balance < line || (daysLeft !== null && daysLeft < days);
    const recovered = balance * RECOVERED.of >= line * RECOVERED.times && (daysLeft === null || daysLeft >= days);
    const memory = await readMemory(db, accountId, 'balance');
    const told = memory?.['told'] === true;
    const round = Number(memory?.['round'] ?? 0);
    if (low && !told) {
      const data = { balance: toTomanText(balance), daily: toTomanText(daily), days_left: daysLeft };
      await notices.raise({
        accountId,
        event: 'balance.low',
        occasion: `round:${round}`,
        data,
        link: '/console/wallet',
      });
      await writeMemory(db, accountId, 'balance', { told: true, round });
    } else if (told && recovered) {
      await writeMemory(db, accountId, 'balance', { told: false, round: round + 1 });
    }
  }

  async #caps(
    { accountId, calendar }: Owner,
    scope: 'key' | 'account',
    what: Omit<OwnKey, 'expiresAt'>,
  ): Promise<void> {
    const { db, clock, notices } = this.#options;
    const periods = CAP_PERIODS.flatMap((period) => {
      const limit = what.caps[period];
      return limit === null || limit === 0n
        ? []
        : [{ period, limit, budget: capBudget(scope, what.id, period, periodOf(period, calendar, clock.now()).id) }];
    });
    if (periods.length === 0) return;
    const { terms } = await notices.rule(accountId, 'cap.reached');
    const rows = await db.query<{ id: string; spent: string }>(
      'select id, spent::text as spent from spend_counter where id = any($1)',
      [periods.map(({ budget }) => budget)],
    );
    const spentOf = new Map(rows.map(({ id, spent }) => [id, BigInt(spent)]));
    for (const { period, limit, budget } of periods) {
      const spent = spentOf.get(budget) ?? 0n;
      const percent = highest(terms, spent, limit);
      if (percent === undefined) continue;
      const data = {
        scope,
        id: what.id,
        name: what.name || accountId,
        period,
        percent,
        spent: toTomanText(money(spent)),
        limit: toTomanText(limit),
      };
      await notices.raise({
        accountId,
        event: 'cap.reached',
        occasion: `${budget}:${percent}`,
        data,
        link: scope === 'key' ? `/console/keys/${what.id}` : '/console/limits',
      });
    }
  }

  async #unusual({ accountId, calendar }: Owner, keys: OwnKey[]): Promise<void> {
    const { db, clock, notices } = this.#options;
    const { enabled, terms } = await notices.rule(accountId, 'key.unusual_spend');
    if (!enabled) return;
    const today = periodOf('daily', calendar, clock.now()).id;
    const rows = await db.query<{ key_id: string; today: string; before: string; days: bigint }>(
      `select key_id, coalesce(sum(cost) filter (where day = $2::date), 0)::text as today,
         coalesce(sum(cost) filter (where day < $2::date), 0)::text as before,
         count(distinct day) filter (where day < $2::date and cost > 0) as days
       from usage_daily where account_id = $1 and day > $2::date - 15 group by key_id`,
      [accountId, today],
    );
    for (const { key_id: id, today: spentText, before, days } of rows) {
      const spent = money(BigInt(spentText));
      const times = timesUsual(spent, BigInt(before), Number(days));
      if (times === undefined || times < (terms.times ?? Number.POSITIVE_INFINITY)) continue;
      const name = keys.find((key) => key.id === id)?.name ?? id;
      const paused = terms.pause === true && (await this.#pause(accountId, id, today));
      const data = { key_id: id, name, spent: toTomanText(spent), times: Math.floor(times), paused };
      await notices.raise({
        accountId,
        event: 'key.unusual_spend',
        occasion: `${id}:${today}`,
        data,
        link: `/console/keys/${id}`,
      });
    }
  }

  /** Once a day: somebody who resumed the key has looked at it. */
  async #pause(accountId: string, keyId: string, day: string): Promise<boolean> {
    const { db, keys, log } = this.#options;
    const subject = `paused:${keyId}`;
    if ((await readMemory(db, accountId, subject))?.['day'] === day) return false;
    await writeMemory(db, accountId, subject, { day });
    try {
      await keys.update(keyId, { rules: { paused: true } }, 'unusual-spend');
      return true;
    } catch (error) {
      log.warn({ key: keyId, err: error }, 'a key with unusual spend could not be paused');
      return false;
    }
  }

  async #errors({ accountId, calendar }: Owner): Promise<void> {
    const { db, clock, notices } = this.#options;
    const { enabled, terms } = await notices.rule(accountId, 'errors.high');
    if (!enabled) return;
    const [row] = await db.query<{ all: bigint; failed: bigint }>(
      `select count(*) as all, count(*) filter (where error_code in ('upstream_error', 'upstream_timeout', 'internal_error', 'overloaded')) as failed
       from request_log where account_id = $1 and created_at > $2`,
      [accountId, new Date(clock.now() - 3_600_000)],
    );
    const all = Number(row?.all ?? 0);
    const percent = all === 0 ? 0 : Math.round((Number(row?.failed ?? 0) / all) * 100);
    if (all < LEAST_REQUESTS || percent < (terms.error_percent ?? 100)) return;
    const occasion = periodOf('daily', calendar, clock.now()).id;
    await notices.raise({
      accountId,
      event: 'errors.high',
      occasion,
      data: { percent, requests: all },
      link: '/console/requests',
    });
  }

  async #expiring(): Promise<void> {
    const { db, clock, notices } = this.#options;
    const rows = await db.query<{ id: string; account_id: string; name: string; expires_at: string }>(
      `select id, account_id, name, rules ->> 'expires_at' as expires_at from api_key
       where revoked_at is null and rules ->> 'expires_at' is not null`,
    );
    for (const { id, account_id: accountId, name, expires_at: expiresAt } of rows) {
      const left = Date.parse(expiresAt) - clock.now();
      if (Number.isNaN(left) || left <= 0) continue;
      const { terms } = await notices.rule(accountId, 'key.expiring');
      const days = (terms.days_before ?? []).filter((before) => left <= before * DAY_MS).sort((a, b) => a - b)[0];
      if (days === undefined) continue;
      const data = { key_id: id, name, days, expires_at: expiresAt };
      await notices.raise({
        accountId,
        event: 'key.expiring',
        occasion: `${id}:${expiresAt}:${days}`,
        data,
        link: `/console/keys/${id}`,
      });
    }
  }

  async #stuckPayments(): Promise<void> {
    const { db, clock, notices } = this.#options;
    const rows = await db.query<{ id: string; problem: string | null }>(
      `select id, problem from payment_order where state in ('returned', 'paid') and updated_at < $1 limit 100`,
      [new Date(clock.now() - 900_000)],
    );
    for (const { id, problem } of rows)
      await notices.raise({
        accountId: '',
        event: 'payment.stuck',
        occasion: id,
        data: { order: id, problem },
        link: `/operator/payments/${id}`,
      });
  }

  /** Announced prices and withdrawn models, to whoever used them within a month. */
  async #catalogNews(): Promise<void> {
    const { db, clock, notices } = this.#options;
    const now = new Date(clock.now());
    const changes = await db.query<{
      event: 'price.announced' | 'model.withdrawn';
      model: string;
      occasion: string;
      at: Date;
    }>(
      `select 'price.announced' as event, model_id as model, version as occasion, effective_at as at
         from price where effective_at > $1
       union all
       select 'model.withdrawn', id, id || ':' || extract(epoch from updated_at)::text, updated_at
         from model where not enabled and updated_at > $1::timestamptz - interval '1 day'`,
      [now],
    );
    for (const { event, model, occasion, at } of changes) {
      const users = await db.query<{ account_id: string }>(
        'select distinct account_id from usage_daily where model = $1 and day > $2::date - 30',
        [model, now],
      );
      const data = { model, from: at.toISOString().slice(0, 10) };
      for (const { account_id: accountId } of users)
        await notices.raise({ accountId, event, occasion, data, link: `/models/${model}` });
    }
  }

  async #keysOf(accountId: string): Promise<OwnKey[]> {
    const rows = await this.#options.db.query<{ id: string; name: string; rules: JsonObject }>(
      'select id, name, rules from api_key where account_id = $1 and revoked_at is null',
      [accountId],
    );
    return rows.map(({ id, name, rules }) => {
      const { caps } = readStoredAccountRules({ ...(rules['caps'] === undefined ? {} : { caps: rules['caps'] }) });
      const expiresAt = rules['expires_at'];
      return { id, name, caps, expiresAt: typeof expiresAt === 'string' ? expiresAt : null };
    });
  }
}

function highest({ percents = [] }: Terms, spent: bigint, limit: Money): number | undefined {
  return percents.filter((percent) => spent * 100n >= limit * BigInt(percent)).sort((a, b) => b - a)[0];
}

function timesUsual(spent: Money, before: bigint, days: number): number | undefined {
  if (days < LEAST_DAYS || before <= 0n || spent < LEAST_SPEND) return undefined;
  return Number((spent * BigInt(days) * 100n) / before) / 100;
}

async function readMemory(db: Queryable, accountId: string, subject: string): Promise<JsonObject | undefined> {
  const [row] = await db.query<{ value: JsonObject }>(
    'select value from alert_memory where account_id = $1 and subject = $2',
    [accountId, subject],
  );
  return row?.value;
}

async function writeMemory(db: Queryable, accountId: string, subject: string, value: JsonObject): Promise<void> {
  await db.query(
    `insert into alert_memory (account_id, subject, value) values ($1, $2, $3)
     on conflict (account_id, subject) do update set value = excluded.value`,
    [accountId, subject, value],
  );
}
