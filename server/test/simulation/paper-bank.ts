/** Journal and books as a model. Lines, checksums and recovery are the real ones, over bytes in memory instead of files. */
import type { PostedUpdate } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import { writeLine } from '../../src/ledger/journal-lines.ts';
import { recoverFrom } from '../../src/ledger/recover.ts';
import { heldBudgets } from '../../src/ledger/waiting-batches.ts';
import { encodeRecord, type RequestRecord, type StartRecord } from '../../src/requestlog/index.ts';
import type { Bank, Fate, Posted } from './bank.ts';
import { PaperBooks } from './paper-books.ts';

interface Waiting {
  id: string;
  text: string;
  cost: bigint;
  budgets: readonly string[];
}

export class PaperBank implements Bank {
  readonly #books = new PaperBooks();
  #segments: { number: number; bytes: Buffer }[] = [{ number: 1, bytes: Buffer.alloc(0) }];
  #turn: Buffer[] = [];
  #turnClosed: Waiting[] = [];
  #queue: Waiting[] = [];
  readonly #batchSize: number;

  constructor(batchSize: number) {
    this.#batchSize = batchSize;
  }

  open(startRecord: StartRecord): void {
    this.#turn.push(writeLine('O', encodeRecord(startRecord)));
  }

  close(record: RequestRecord): void {
    const text = encodeRecord(record);
    this.#turn.push(writeLine('C', text));
    this.#turnClosed.push({ id: record.id, text, cost: record.cost, budgets: heldBudgets(record) });
  }

  async endTurn(): Promise<void> {
    this.#write(Buffer.concat(this.#turn));
    this.#queue.push(...this.#turnClosed);
    this.#turn = [];
    this.#turnClosed = [];
  }

  async post(fate: Fate): Promise<Posted | undefined> {
    const batch = this.#queue.slice(0, this.#batchSize);
    if (fate === 'unreachable') return undefined;
    this.#books.post(batch.map((entry) => entry.text));
    if (fate === 'answer-lost') return undefined;
    this.#queue = this.#queue.slice(batch.length);
    const release = new Map<string, bigint>();
    for (const { cost, budgets } of batch) for (const id of budgets) release.set(id, (release.get(id) ?? 0n) + cost);
    const updates: PostedUpdate[] = [...release].map(([budget, amount]) => ({
      budget,
      ...this.#books.posted(budget),
      release: money(amount),
    }));
    return { ids: batch.map((entry) => entry.id), updates };
  }

  transfer: Bank['transfer'] = async (entry) => this.#books.transfer(entry);

  loadPosted: Bank['loadPosted'] = async (budgets) =>
    new Map(budgets.map((budget) => [budget, this.#books.posted(budget)]));

  async crash(cut: (bytes: number) => number): Promise<void> {
    const writing = Buffer.concat(this.#turn);
    this.#write(writing.subarray(0, cut(writing.length)));
    const recovery = recoverFrom(this.#segments);
    if (recovery.damaged > 0) throw new Error('a kill can tear the last line, not damage others');
    this.#books.post(recovery.records.map((record) => record.text));
    // Whatever was acknowledged must have been readable from the disk.
    for (const { id } of this.#queue) if (!this.#books.requests.has(id)) throw new Error(`${id} was lost by a kill`);
    const number = (this.#segments.at(-1)?.number ?? 0) + 1;
    this.#segments = [{ number, bytes: Buffer.alloc(0) }];
    this.#turn = [];
    this.#turnClosed = [];
    this.#queue = [];
  }

  async booked(id: string) {
    return this.#books.requests.get(id);
  }

  async prove(): Promise<void> {
    this.#books.prove();
  }

  async end(): Promise<void> {}

  #write(bytes: Buffer): void {
    const last = this.#segments.at(-1);
    if (!last) throw new Error('no segment');
    last.bytes = Buffer.concat([last.bytes, bytes]);
    if (last.bytes.length > 20_000) this.#segments.push({ number: last.number + 1, bytes: Buffer.alloc(0) });
  }
}
