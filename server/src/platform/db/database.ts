/**
 * The database port: PostgreSQL's dialect, whether embedded or a server. Statements are plain SQL with $n parameters.
 * bigint columns (and count(*)) arrive as JavaScript bigint, numeric as text, jsonb as parsed values, timestamptz as Date.
 */

export interface QueryOptions {
  /** Prepares the statement under this name, once per connection. For hot statements; one name means one text for ever. */
  name?: string;
}

export interface Queryable {
  /** Without values the text may hold several statements; the rows are those of the last one. */
  query<Row extends object>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>;
}

export interface ReportOptions {
  /** `job`: proofs, seals, exports. `list`: what a person waits for. Neither uses the other's connections. */
  for: 'job' | 'list';
  /** No statement takes longer; by default as long as the pool allows, which is two minutes. */
  timeoutMs?: number;
  /** All statements see the books as they are at the first one. */
  snapshot?: boolean;
}

export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres';
  /**
   * Runs `work` in one transaction and retries it when the database reports a serialization failure or a deadlock.
   * Inside, use only `tx`: the embedded database has one connection, and a second one would wait for ever.
   * Using the database itself there is refused on both kinds.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /**
   * A transaction for work that reads many rows. On a server it has connections and limits of its own, so that it can keep
   * neither requests nor their charges waiting; the embedded database has one connection, so the work must come in small pieces.
   */
  report<T>(work: (tx: Queryable) => Promise<T>, options: ReportOptions): Promise<T>;
  /**
   * One connection outside of a transaction, for what cannot be part of one (an index that is built while others write). Statements
   * may take as long as they need.
   */
  session<T>(work: (session: Queryable) => Promise<T>): Promise<T>;
  /**
   * Tells every replica that something changed (delivered at commit when called inside a transaction through `tx`).
   * `topic` is e.g. `key`, `account`, `catalog`, `wallet`; `id` may be empty.
   */
  publish(tx: Queryable, topic: string, id: string): Promise<void>;
  /** `lost` is called when messages may have been missed (reconnected): drop every cache. */
  subscribe(topic: string, onChange: (id: string) => void, lost: () => void): () => void;
  /** False while the last statement failed to reach it. */
  healthy(): boolean;
  close(): Promise<void>;
}
