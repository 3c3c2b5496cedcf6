/**
 * Notices that depend on a date, whether or not an account spends: expiring keys, payments that do not move, the
 * catalog.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { CATALOG_NEWS, EXPIRING_KEYS, STUCK_PAYMENTS, USERS_OF_MODEL } from './watch-rows.ts';
import type { WatchTools } from './watch-tools.ts';

export async function tellExpiringKeys({ db, clock, notices }: WatchTools): Promise<void> {
  const rows = await EXPIRING_KEYS.rows(db, [new Date(clock.now())]);
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
  const rows = await STUCK_PAYMENTS.rows(db, [new Date(clock.now() - 900_000)]);
  for (const { id, problem, refund, refund_number: number } of rows)
    await notices.raise({
      accountId: '',
      event: 'payment.stuck',
      occasion: refund === null ? id : `${id}:${number}:${refund}`,
      data: { order: id, problem: refund === null ? problem : `refund:${refund}` },
      link: '/operator/payments?stuck=true',
    });
}

/** Tells everybody who used a model within a month of its announced price or withdrawal. */
export async function tellCatalogNews({ db, clock, notices }: WatchTools): Promise<void> {
  const now = new Date(clock.now());
  const changes = await CATALOG_NEWS.rows(db, [now]);
  for (const { event, model, occasion, at, successor } of changes) {
    const users = await USERS_OF_MODEL.rows(db, [model, now]);
    const data = { model, from: at.toISOString(), ...(successor !== null && { successor }) };
    for (const { account_id: accountId } of users)
      await notices.raise({ accountId, event, occasion, data, link: `/models/${model}` });
  }
}
