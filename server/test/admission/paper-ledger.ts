import type { LoadPosted } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';

/** What the ledger would answer, written down by the test; counts how often it is asked. */
export class PaperLedger {
  readonly rows = new Map<string, { posted: bigint; version: bigint }>();
  readonly asked: string[][] = [];
  failing = false;
  /** When set, an answer waits for it. */
  gate: Promise<void> | undefined;

  readonly load: LoadPosted = async (budgets) => {
    this.asked.push(budgets);
    const rows = budgets.flatMap((id) => {
      const row = this.rows.get(id);
      return row === undefined ? [] : [[id, { posted: money(row.posted), version: row.version }] as const];
    });
    await this.gate;
    if (this.failing) throw new Error('the database is away');
    return new Map(rows);
  };

  write(id: string, posted: bigint, version = (this.rows.get(id)?.version ?? 0n) + 1n): void {
    this.rows.set(id, { posted, version });
  }
}
