/** Reads `posted` of budgets not seen yet: one query for all callers that wait for the same budget. */
import type { LoadPosted } from './admission.ts';
import { AdmissionUnavailable } from './unavailable.ts';

export interface Posted {
  posted: bigint;
  version: bigint;
}

/** Called once per query, before the callers that wait continue. */
type Accept = (rows: Map<string, Posted>) => void | Promise<void>;

interface Loading {
  done: Promise<void>;
  /** A report of the ledger that came while the query ran; the query may have read an older row. */
  reported: Posted | undefined;
}

export class PostedLoader {
  readonly #load: LoadPosted;
  readonly #accept: Accept;
  readonly #loading = new Map<string, Loading>();

  constructor(load: LoadPosted, accept: Accept) {
    this.#load = load;
    this.#accept = accept;
  }

  /** Rejects with AdmissionUnavailable when the ledger cannot be read. */
  async load(ids: string[]): Promise<void> {
    const fresh = ids.filter((id) => !this.#loading.has(id));
    if (fresh.length > 0) this.#start(fresh);
    await Promise.all(ids.map((id) => this.#loading.get(id)?.done));
  }

  /** Asks the ledger without telling anybody who waits. */
  async peek(ids: string[]): Promise<Map<string, Posted>> {
    try {
      return await this.#load(ids);
    } catch (error) {
      throw new AdmissionUnavailable('posted-unknown', 'the ledger could not be read', error);
    }
  }

  /** True when the budget is being loaded: the report is then kept until the query has ended. */
  report(id: string, posted: bigint, version: bigint): boolean {
    const loading = this.#loading.get(id);
    if (loading === undefined) return false;
    if (loading.reported === undefined || loading.reported.version < version) loading.reported = { posted, version };
    return true;
  }

  #start(ids: string[]): void {
    const done = Promise.resolve().then(() => this.#read(ids));
    // Every caller awaits it too; this handler only keeps a rejection from being called unhandled.
    done.catch(() => undefined);
    for (const id of ids) this.#loading.set(id, { done, reported: undefined });
  }

  async #read(ids: string[]): Promise<void> {
    try {
      const rows = await this.#load(ids);
      const newest = new Map<string, Posted>();
      for (const id of ids) {
        const row: Posted = rows.get(id) ?? { posted: 0n, version: 0n };
        const reported = this.#loading.get(id)?.reported;
        newest.set(id, reported !== undefined && reported.version > row.version ? reported : row);
      }
      await this.#accept(newest);
    } catch (error) {
      if (error instanceof AdmissionUnavailable) throw error;
      throw new AdmissionUnavailable('posted-unknown', 'the ledger could not be read', error);
    } finally {
      for (const id of ids) this.#loading.delete(id);
    }
  }
}
