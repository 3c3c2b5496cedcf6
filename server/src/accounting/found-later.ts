/**
 * Money that a bank statement brought without an order, and whose receipt is entered afterwards. The receipt counts it at the bank a
 * second time; what was without an order is therefore turned round with it, and the line of the statement is that of the receipt.
 */
import { GatewayError } from '../core/errors.ts';
import { type Money, money } from '../core/money.ts';
import type { Books } from '../ledger/index.ts';
import { AGREED_MATCHES } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { foundLater } from './events.ts';
import { settlementReasons } from './settlement-reasons.ts';

interface OpenPaper {
  id: string;
  bank: string;
  amount: Money;
}

type Ledger = Pick<Books, 'bookIn'>;

/** In the transaction that takes a receipt or confirms a transfer. Only the bank's own number and the whole sum are certain. */
export async function takeFoundMoney(ledger: Ledger, tx: Queryable, orderId: string, actor: string): Promise<void> {
  const [paper] = await tx.query<{ id: string; bank: string; amount: string }>(
    `select document.id, o.bank, line.amount::text as amount from payment_order o
     join document on document.kind = 'unmatched' and document.number = o.reference and document.party = 'bank:' || o.bank
     join ledger_transfer line on line.document_id = document.id and line.credit = 'unmatched' and line.amount = o.amount + o.vat
     where o.id = $1 and not exists (select from document back where back.id = 'found:' || document.id)
     order by document.created_at, document.id limit 1`,
    [orderId],
  );
  if (paper) await turnRound(ledger, tx, { ...paper, amount: money(BigInt(paper.amount)) }, orderId, actor);
}

/** A person says that this line of a booked statement, which was money without an order, is that receipt. */
export async function decideFoundLine(
  ledger: Ledger,
  tx: Queryable,
  line: { settlement: string; number: number; bank: string },
  settles: string,
  actor: string,
): Promise<void> {
  const [found] = await tx.query<{ id: string; amount: string; order_id: string }>(
    `select document.id, held.amount::text as amount, o.id as order_id
     from settlement_line line join document on line.settles = 'document:' || document.id and document.kind = 'unmatched'
     join ledger_transfer held on held.document_id = document.id and held.credit = 'unmatched'
     join payment_order o on 'document:topup:' || o.id = $3 and o.gateway = 'bank-transfer' and o.bank = $4
       and o.state in ('credited', 'refunded') and o.amount + o.vat = held.amount
     where line.settlement_id = $1 and line.number = $2
       and not exists (select from settlement_line taken where taken.settles = $3 and taken.match in ${AGREED_MATCHES})`,
    [line.settlement, line.number, settles, line.bank],
  );
  if (!found) throw new GatewayError('conflict', { param: 'settles', reason: settlementReasons.notYours });
  const paper = { id: found.id, bank: line.bank, amount: money(BigInt(found.amount)) };
  await turnRound(ledger, tx, paper, found.order_id, actor);
}

async function turnRound(ledger: Ledger, tx: Queryable, paper: OpenPaper, orderId: string, actor: string) {
  const { id, bank, amount } = paper;
  const [book] = await tx.query<{ posted: string }>(
    `select posted::text as posted from ledger_account where id = 'unmatched' for update`,
  );
  // It left that book already: somebody gave it to an account, and the receipt would give it a second time.
  if (
    BigInt(book?.posted ?? 0) < amount ||
    !(await ledger.bookIn(tx, foundLater(id, { bank, amount, createdBy: actor })))
  )
    throw new GatewayError('conflict', { param: 'number', reason: settlementReasons.foundBefore });
  await tx.query(
    `update settlement_line set settles = 'document:topup:' || $2, order_id = $2
     where settles = 'document:' || $1 and match in ${AGREED_MATCHES}`,
    [id, orderId],
  );
}
