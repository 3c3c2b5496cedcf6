/** What is read and written of `sandbox_payment`. */
import { column, command, type Queryable, statement } from '../../platform/db/index.ts';

export interface SandboxPayment {
  id: string;
  units: bigint;
  returnUrl: string;
  orderId: string;
  state: 'waiting' | 'paid' | 'refused';
  language: 'fa' | 'en';
}

const sandboxRow = {
  id: column.text,
  units: column.text,
  return_url: column.text,
  order_id: column.text,
  state: column.textOf<SandboxPayment['state']>(),
  language: column.text,
};

const SANDBOX_PAYMENT = statement(
  sandboxRow,
  'select id, units::text as units, return_url, order_id, state, language from sandbox_payment where id = $1',
);

export async function findSandboxPayment(db: Queryable, id: string): Promise<SandboxPayment | undefined> {
  const row = await SANDBOX_PAYMENT.first(db, [id]);
  if (!row) return undefined;
  const { id: found, units, return_url: returnUrl, order_id: orderId, state, language } = row;
  return { id: found, units: BigInt(units), returnUrl, orderId, state, language: language === 'en' ? 'en' : 'fa' };
}

const PLAY_SANDBOX_PAYMENT = command(`update sandbox_payment set state = $2 where id = $1 and state <> 'paid'`);

/** Applies a button of the page. A paid payment stays paid. */
export async function playSandboxPayment(db: Queryable, id: string, state: 'paid' | 'refused'): Promise<void> {
  await PLAY_SANDBOX_PAYMENT.run(db, [id, state]);
}

export const INSERT_SANDBOX_PAYMENT =
  command(`insert into sandbox_payment (id, units, return_url, order_id, state, language, created_at)
         values ($1, $2, $3, $4, 'waiting', $5, $6)`);
