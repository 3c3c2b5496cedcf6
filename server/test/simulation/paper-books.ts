/**
 * The books as a model: what the posting statement and the transfers do to the database, in a few lines of plain code.
 * The real statement is held against it by running the same histories over both.
 */
import type { PostedUpdate } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import type { ManualTransfer, WalletView } from '../../src/ledger/index.ts';
import { decodeRecord, type RequestRecord } from '../../src/requestlog/index.ts';

interface Row {
  amount: bigint;
  version: bigint;
}

interface PaperTransfer {
  debit: string;
  credit: string;
  amount: bigint;
}

const OTHER = {
  'top-up': 'undocumented',
  adjustment: 'corrections',
  refund: 'revenue',
  opening: 'opening',
  gift: 'promotions',
} as const;

export class PaperBooks {
  readonly requests = new Map<string, RequestRecord>();
  readonly transfers = new Map<string, PaperTransfer>();
  readonly accounts = new Map<string, Row>();
  readonly counters = new Map<string, Row>();
  readonly refunds: { requestId: string; amount: bigint }[] = [];

  post(texts: readonly string[]): void {
    const moved: PaperTransfer[] = [];
    const spent = new Map<string, bigint>();
    for (const text of texts) {
      const record = decodeRecord(text);
      if (!record || this.requests.has(record.id)) continue;
      this.requests.set(record.id, record);
      if (record.cost === 0n || this.transfers.has(record.id)) continue;
      const transfer = { debit: `wallet:${record.accountId}`, credit: 'revenue', amount: record.cost };
      this.transfers.set(record.id, transfer);
      moved.push(transfer);
      for (const counter of record.counters) spent.set(counter, (spent.get(counter) ?? 0n) + record.cost);
    }
    this.#move(moved);
    for (const [counter, amount] of spent) change(this.counters, counter, amount);
  }

  transfer(entry: ManualTransfer): WalletView {
    const wallet = `wallet:${entry.accountId}`;
    const other = OTHER[entry.kind];
    const transfer =
      entry.amount > 0n
        ? { debit: other, credit: wallet, amount: entry.amount as bigint }
        : { debit: wallet, credit: other, amount: -entry.amount };
    if (!this.transfers.has(entry.id)) {
      this.transfers.set(entry.id, transfer);
      this.#move([transfer]);
      if (entry.kind === 'refund' && entry.requestId !== undefined) {
        this.refunds.push({ requestId: entry.requestId, amount: entry.amount });
        for (const counter of this.requests.get(entry.requestId)?.counters ?? [])
          change(this.counters, counter, -entry.amount);
      }
    }
    const row = this.accounts.get(wallet);
    return { posted: money(row?.amount ?? 0n), version: row?.version ?? 0n };
  }

  posted(budget: string): Pick<PostedUpdate, 'posted' | 'version'> {
    const row = budget.startsWith('wallet:') ? this.accounts.get(budget) : this.counters.get(budget);
    const amount = row?.amount ?? 0n;
    return { posted: money(budget.startsWith('wallet:') ? -amount : amount), version: row?.version ?? 0n };
  }

  /** The audit's checks, over the model. */
  prove(): void {
    const balances = new Map<string, bigint>();
    for (const { debit, credit, amount } of this.transfers.values()) {
      if (amount <= 0n) throw new Error('a transfer of nothing');
      balances.set(debit, (balances.get(debit) ?? 0n) - amount);
      balances.set(credit, (balances.get(credit) ?? 0n) + amount);
    }
    let sum = 0n;
    for (const [id, { amount }] of this.accounts) {
      if (balances.get(id) !== amount) throw new Error(`${id} is not the sum of its transfers`);
      sum += amount;
    }
    if (sum !== 0n) throw new Error('debits and credits differ');
    const spent = new Map<string, bigint>();
    const count = (id: string, by: bigint) => {
      for (const counter of this.requests.get(id)?.counters ?? []) spent.set(counter, (spent.get(counter) ?? 0n) + by);
    };
    for (const [id, { cost }] of this.requests) {
      if ((this.transfers.get(id)?.amount ?? 0n) !== cost) throw new Error(`${id} is charged wrongly`);
      if (cost > 0n) count(id, cost);
    }
    for (const { requestId, amount } of this.refunds) count(requestId, -amount);
    for (const [id, { amount }] of this.counters) {
      if ((spent.get(id) ?? 0n) !== amount) throw new Error(`${id} is not the sum of its charges`);
    }
  }

  #move(transfers: readonly PaperTransfer[]): void {
    const changes = new Map<string, bigint>();
    for (const { debit, credit, amount } of transfers) {
      changes.set(debit, (changes.get(debit) ?? 0n) - amount);
      changes.set(credit, (changes.get(credit) ?? 0n) + amount);
    }
    for (const [id, amount] of changes) change(this.accounts, id, amount);
  }
}

function change(rows: Map<string, Row>, id: string, by: bigint): void {
  const row = rows.get(id);
  rows.set(id, { amount: (row?.amount ?? 0n) + by, version: (row?.version ?? 0n) + 1n });
}
