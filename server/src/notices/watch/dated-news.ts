/** What comes or has come by a date, whether or not an account spends: expiring keys, payments that do not move, the catalog. */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { stuckBefore } from '../../payments/index.ts';
import type { WatchTools } from './watch-tools.ts';

export async function tellExpiringKeys({ db, clock, notices }: WatchTools): Promise<void> {
  const rows = await db.query<{ id: string; account_id: string; name: string; expires_at: string; manages: boolean }>(
    `select id, account_id, name, rules ->> 'expires_at' as expires_at, false as manages from api_key
     where revoked_at is null and rules ->> 'expires_at' is not null
     union all
     select id, account_id, name, to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), true
     from management_key where revoked_at is null and expires_at > $1`,
    [new Date(clock.now())],
  );
  for (const { id, account_id: accountId, name, expires_at: expiresAt, manages } of rows) {
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
      link: manages ? '/console/settings/management' : `/console/keys/${id}`,
    });
  }
}

export async function tellStuckPayments({ db, clock, notices }: WatchTools): Promise<void> {
  const rows = await db.query<{ id: string; problem: string | null; refund: string | null; refund_number: number }>(
    `select id, problem, refund_number, coalesce(refund_state, (
       select part.state from payment_refund part where part.order_id = payment_order.id and part.state in ('refused', 'unknown')
       order by part.number limit 1)) as refund
     from payment_order
     where ${stuckBefore('$1')}
     order by updated_at desc limit 100`,
    [new Date(clock.now() - 900_000)],
  );
  for (const { id, problem, refund, refund_number: number } of rows)
    await notices.raise({
      accountId: '',
      event: 'payment.stuck',
      occasion: refund === null ? id : `${id}:${number}:${refund}`,
      data: { order: id, problem: refund === null ? problem : `refund:${refund}` },
      link: '/operator/payments?stuck=true',
    });
}

/** Announced prices and withdrawn models, to whoever used them within a month. */
export async function tellCatalogNews({ db, clock, notices }: WatchTools): Promise<void> {
  const now = new Date(clock.now());
  const changes = await db.query<{
    event: 'price.announced' | 'model.withdrawn';
    model: string;
    occasion: string;
    at: Date;
    successor: string | null;
  }>(
    `select 'price.announced' as event, model_id as model, model_id || ':' || effective_at::text as occasion, effective_at as at,
       null as successor
       from price where effective_at > $1 and withdrawn_at is null
     union all
     select 'model.withdrawn', id, id || ':' || extract(epoch from gone)::text, gone, successor from (
       select id, successor, enabled, disabled_at, retires_at,
         case when not enabled and disabled_at < coalesce(retires_at, 'infinity') then disabled_at else retires_at end as gone
       from model) as m
       where retires_at > $1::timestamptz - interval '1 day'
         or (not enabled and disabled_at > $1::timestamptz - interval '1 day')`,
    [now],
  );
  for (const { event, model, occasion, at, successor } of changes) {
    const users = await db.query<{ account_id: string }>(
      'select distinct account_id from usage_daily where model = $1 and day > $2::date - 30',
      [model, now],
    );
    const data = { model, from: at.toISOString(), ...(successor !== null && { successor }) };
    for (const { account_id: accountId } of users)
      await notices.raise({ accountId, event, occasion, data, link: `/models/${model}` });
  }
}
