/**
 * The database port: PostgreSQL's dialect, whether embedded or a server. Statements are plain SQL with $n parameters.
 * bigint columns arrive as JavaScript bigint, jsonb as parsed values, timestamptz as Date.
 */

export interface Queryable {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres';
  /** Runs `work` in one transaction and retries it when the database reports a serialization failure or a deadlock. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
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
