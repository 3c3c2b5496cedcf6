/** `/api/admin/accounts/{id}/transfers` and `/api/admin/transfers`: credit comes and goes as transfers, each with an id that makes repeating it harmless. */
import type { AccountService } from '../../accounts/index.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, parseToman, toTomanText, ZERO } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { type BookedTransfer, type Books, readWallet, type Transfer } from '../../ledger/index.ts';
import type { RecordChange } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { page } from '../openapi/building-blocks.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';
import { timeInput } from '../time-input.ts';
import { listAllTransfers, listTransfers, transferCredit } from './routes/credit.ts';

export interface CreditServices {
  accounts: AccountService;
  ledger: Books;
  spending: Spending;
  record: RecordChange;
}

export function credit(register: Register, { accounts, ledger, spending, record }: CreditServices): void {
  register(transferCredit, async ({ params, body, actor }) => {
    const account = await accounts.get(params.id);
    const amount = parseToman(body.amount);
    if (amount === undefined || amount === 0n)
      throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanNotZero));
    const { id, kind, note, request_id: requestId } = body;
    if (OWN_ID.test(id)) throw invalidRequest('id', httpReasons.ownTransferId);
    if (kind !== 'top-up' && (note ?? '').trim().length < SHORTEST_REASON)
      throw invalidRequest('note', httpReasons.reasonMissing);
    const entry = { id, kind, accountId: account.id, amount };
    const details = { ...(note === undefined ? {} : { note }), ...(requestId === undefined ? {} : { requestId }) };
    const detail = { transfer: id, amount: toTomanText(amount), note };
    // Read before the transaction: the embedded database has one connection, which the transaction holds.
    const available = amount < 0n ? parseToman(String((await spending.wallet(account.id))['available'])) : undefined;
    const { posted } = await ledger.transfer({ ...entry, ...details }, async (tx) => {
      // Checked only for a new transfer: one that is asked for again moves nothing.
      if (amount < 0n) await requireThere(tx, account.id, amount, available ?? ZERO);
      await record(tx, actor, `credit.${kind}`, account.id, detail);
    });
    return {
      object: 'transfer',
      id,
      kind,
      account_id: account.id,
      amount: toTomanText(amount),
      request_id: requestId ?? null,
      note: note ?? null,
      balance: toTomanText(posted),
    };
  });
  register(listTransfers, async ({ params, query }) => {
    const { id } = await accounts.get(params.id);
    const { after, limit = 50 } = query;
    const { entries, next } = await ledger.history(id, { limit, ...(after === undefined ? {} : { before: after }) });
    return { ...page(entries.map(transferView), next), wallet: await spending.wallet(id) };
  });
  register(listAllTransfers, async ({ query }) => {
    const { account_id: accountId, kind, direction, reference, after, limit = 50 } = query;
    const times = { from: timeInput(query.from, 'from'), to: timeInput(query.to, 'to') };
    const place = after === undefined ? { limit } : { limit, before: after };
    const { entries, next } = await ledger.transfers({ accountId, kind, direction, reference, ...times }, place);
    const doers = await ledger.doersOf(entries);
    return page(
      entries.map((entry) => {
        const { actor = null, name = null } = doers.get(entry.id) ?? {};
        return { ...transferView(entry), debit: entry.debit, credit: entry.credit, actor, actor_name: name };
      }),
      next,
    );
  });
}

/**
 * Refuses to take what is spent or held by running requests. The transfer is already written in `tx`, so the balance read here
 * includes it.
 */
async function requireThere(tx: Queryable, accountId: string, amount: Money, available: Money): Promise<void> {
  const { posted } = await readWallet(tx, accountId);
  if (posted >= 0n && available + amount >= 0n) return;
  throw new GatewayError('conflict', { param: 'amount', reason: httpReasons.notAvailable(toTomanText(available)) });
}

const SHORTEST_REASON = 3;
/**
 * Ids of transfers that the service writes itself. A manual transfer with such an id would make the later one look like a
 * repetition, and an order's credit would be lost.
 */
const OWN_ID = /^(topup|refund|refund-undone|chargeback|chargeback-won|welcome|opening):/;

function transferView(transfer: Transfer | BookedTransfer) {
  return {
    object: 'transfer',
    id: transfer.id,
    kind: transfer.kind,
    account_id: transfer.accountId,
    amount: toTomanText(transfer.amount),
    request_id: transfer.requestId,
    price_version: transfer.priceVersion,
    note: transfer.note,
    created_at: new Date(transfer.createdAt).toISOString(),
  };
}
