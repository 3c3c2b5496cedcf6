/** What the database knows of an installation's first steps; every look is at few rows or by an index. */
import { OPERATOR_ACCOUNT } from '../core/operator-account.ts';
import type { Queryable } from '../platform/db/index.ts';
import { FIRST_PASSWORD_SETTING, REPLACED } from '../platform/operator-token.ts';

export interface OwnerFacts {
  owners: number;
  withSecondFactor: number;
  firstPasswordReplaced: boolean;
}

export async function readOwners(db: Queryable): Promise<OwnerFacts> {
  const [row] = await db.query<{ owners: number; secured: number; replaced: boolean }>(
    `select count(*)::int as owners,
       (count(*) filter (where p.totp_confirmed
         or exists (select from passkey k where k.person_id = p.id)))::int as secured,
       exists (select from setting where key = $1 and value = to_jsonb($2::text)) as replaced
       from staff s join person p on p.id = s.person_id where s.role = 'owner' and p.blocked_at is null`,
    [FIRST_PASSWORD_SETTING, REPLACED],
  );
  return {
    owners: row?.owners ?? 0,
    withSecondFactor: row?.secured ?? 0,
    firstPasswordReplaced: row?.replaced ?? false,
  };
}

export interface ProviderFact {
  id: string;
  tested_ok: boolean | null;
  tested_at: Date | null;
}

/** Those that go over a network; what answers inside this process sells nothing. Passed tests come first, the newest of them. */
export async function readRealProviders(db: Queryable): Promise<ProviderFact[]> {
  return db.query<ProviderFact>(
    `select id, tested_ok, tested_at from provider where transport = 'http' and enabled and present
      order by tested_ok desc nulls last, tested_at desc nulls last, id`,
  );
}

/** Whether somebody has said a rate, zero included. */
export async function isVatSaid(db: Queryable): Promise<boolean> {
  const rows = await db.query(`select 1 from setting where key = 'vat_basis_points'`);
  return rows.length > 0;
}

export interface Found {
  id: string;
  at: Date;
}

/** Any order that was paid through one of these gateways; each is looked for by the gateway's own index. */
export async function findPayment(db: Queryable, gateways: readonly string[]): Promise<Found | undefined> {
  for (const gateway of gateways) {
    const [found] = await db.query<Found>(
      `select id, updated_at as at from payment_order
        where gateway = $1 and state in ('paid', 'credited', 'refunded') limit 1`,
      [gateway],
    );
    if (found) return found;
  }
  return undefined;
}

/** An answer that a customer paid for: a day with a charge first, then the request of that account and model by its index. */
export async function findSale(db: Queryable): Promise<Found | undefined> {
  const [day] = await db.query<{ account: string; model: string; day: Date }>(
    `select account_id as account, model, day::timestamptz as day from usage_daily u
      where cost > 0 and account_id <> $1 and not exists (select from model m where m.id = u.model and m.simulated)
      limit 1`,
    [OPERATOR_ACCOUNT],
  );
  if (!day) return undefined;
  const [request] = await db.query<Found>(
    `select id, created_at as at from request_log
      where account_id = $1 and model = $2 and state = 'completed' and cost > 0 order by id limit 1`,
    [day.account, day.model],
  );
  // The log keeps requests for a while, the sums of days for good: an old sale was one, though its receipt is gone.
  return request ?? { id: '', at: day.day };
}
