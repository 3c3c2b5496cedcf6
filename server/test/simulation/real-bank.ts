/** The real journal, poster and books behind the same steps. A crash continues on a copy of the journal's folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostedUpdate } from '../../src/admission/index.ts';
import { type Books, createLedger, type FileJournal, openJournal, Poster } from '../../src/ledger/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import {
  createRequestLog,
  idOf,
  type RequestLog,
  type RequestRecord,
  type StartRecord,
} from '../../src/requestlog/index.ts';
import { emptyBooks } from '../ledger/bookkeeping.ts';
import { crashImage } from '../ledger/crash.ts';
import { describeAudit } from '../ledger/describe-audit.ts';
import { testClock, testLog } from '../ledger/request-fixture.ts';
import { oldestTexts } from '../ledger/waiting.ts';
import type { Bank, Fate, Posted } from './bank.ts';

const AUDIT_EVERY = 10;

export class RealBank implements Bank {
  readonly #db: Database;
  readonly #batchSize: number;
  readonly #books: Books;
  readonly #requests: RequestLog;
  readonly #clock = testClock();
  readonly #log = testLog();
  #folder: string;
  #journal: FileJournal;
  #fate: Fate = 'done';
  #updates: PostedUpdate[] = [];
  #turn: Promise<void>[] = [];
  #steps = 0;
  readonly #booked = new Map<string, RequestRecord>();

  static async open(db: Database, batchSize: number): Promise<RealBank> {
    await emptyBooks(db);
    const folder = mkdtempSync(join(tmpdir(), 'dargah-sim-'));
    return new RealBank(
      db,
      batchSize,
      folder,
      await openJournal({ folder, clock: testClock(), log: testLog(), batchSize }),
    );
  }

  private constructor(db: Database, batchSize: number, folder: string, journal: FileJournal) {
    this.#db = db;
    this.#batchSize = batchSize;
    this.#folder = folder;
    this.#journal = journal;
    this.#books = createLedger({ db, clock: this.#clock });
    this.#requests = createRequestLog({ db });
  }

  open(startRecord: StartRecord): void {
    this.#turn.push(this.#journal.open(startRecord));
  }

  close(record: RequestRecord): void {
    this.#turn.push(this.#journal.close(record));
  }

  async endTurn(): Promise<void> {
    await Promise.all(this.#turn.splice(0));
  }

  async post(fate: Fate): Promise<Posted | undefined> {
    this.#fate = fate;
    this.#updates = [];
    const ids = oldestTexts(this.#journal).map(idOf);
    try {
      await this.#poster().postBatch();
      return { ids, updates: this.#updates };
    } catch {
      return undefined;
    }
  }

  transfer: Bank['transfer'] = (entry) => this.#books.transfer(entry);

  loadPosted: Bank['loadPosted'] = (budgets) => this.#books.loadPosted(budgets);

  async crash(): Promise<void> {
    const image = crashImage(this.#folder);
    const dead = this.#journal;
    const abandoned = this.#folder;
    this.#folder = image;
    this.#journal = await openJournal({
      folder: image,
      clock: this.#clock,
      log: this.#log,
      segmentBytes: 4_000,
      batchSize: this.#batchSize,
    });
    this.#turn = [];
    this.#fate = 'done';
    while (this.#journal.depth() > 0) await this.#poster().postBatch();
    await dead.shutdown();
    rmSync(abandoned, { recursive: true, force: true });
  }

  async booked(id: string) {
    // A closed request never changes again, so it is asked for once.
    const found = this.#booked.get(id) ?? (await this.#requests.find(id));
    if (found) this.#booked.set(id, found);
    return found;
  }

  async prove(): Promise<void> {
    if (++this.#steps % AUDIT_EVERY !== 0) return;
    const report = await this.#books.audit();
    if (!report.ok) throw new Error(describeAudit(report));
  }

  async end(): Promise<void> {
    this.#steps = AUDIT_EVERY - 1;
    await this.prove();
    await this.#journal.shutdown();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #poster(): Poster {
    const db: Database = Object.create(this.#db) as Database;
    db.query = async <Row extends object>(...args: Parameters<Database['query']>): Promise<Row[]> => {
      if (this.#fate === 'unreachable') throw new Error('connection refused');
      const rows = await this.#db.query<Row>(...args);
      if (this.#fate === 'answer-lost') throw new Error('connection lost');
      return rows;
    };
    const admission = { posted: (updates: PostedUpdate[]) => this.#updates.push(...updates) };
    return new Poster({
      db,
      journal: this.#journal,
      admission,
      log: this.#log,
    });
  }
}
