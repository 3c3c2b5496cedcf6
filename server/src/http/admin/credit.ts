/** `/api/admin/accounts/{id}/transfers`: credit comes and goes as transfers, each with an id that makes repeating it harmless. */
import type { AccountService } from '../../accounts/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { Books, Transfer } from '../../ledger/index.ts';
import type { RecordChange } from '../../platform/admin-trail.ts';
import { page } from '../openapi/building-blocks.ts';
import type { Register } from '../routes/register.ts';
import { listTransfers, transferCredit } from './routes/credit.ts';
import type { Spending } from './spending.ts';

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
    const entry = { id, kind, accountId: account.id, amount };
    const details = { ...(note === undefined ? {} : { note }), ...(requestId === undefined ? {} : { requestId }) };
    const detail = { transfer: id, amount: toTomanText(amount), note };
    const { posted } = await ledger.transfer({ ...entry, ...details }, (tx) =>
      record(tx, actor, `credit.${kind}`, account.id, detail),
    );
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
}

function transferView(transfer: Transfer) {
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
