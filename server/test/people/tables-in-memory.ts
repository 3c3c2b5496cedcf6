/**
 * The tables that signing in by code touches, in memory, for storms of a hundred thousand requests. It understands the statements
 * of people/sign-in-rows.ts and people/code-rows.ts that this takes and nothing else; that they mean the same on
 * a database, also when many come at once, is proved by the suite of people on both databases.
 */
import type { CodeRow } from '../../src/people/code-rows.ts';
import type { Database, Queryable } from '../../src/platform/db/index.ts';

type Values = readonly unknown[];

export class TablesInMemory {
  readonly attempts = new Map<string, number>();
  readonly codes = new Map<string, CodeRow>();
  /** `09121234567 10.0.0.0/24` */
  readonly known = new Set<string>();
  statements = 0;

  get db(): Database {
    const queryable: Queryable = { query: async (text, values = []) => this.#run(text, values) as never };
    return { ...queryable, transaction: (work: (tx: Queryable) => unknown) => work(queryable) } as unknown as Database;
  }

  #run(text: string, values: Values): unknown[] {
    this.statements++;
    if (text.includes('attempt_count')) return this.#attempts(text, values);
    if (text.includes('sign_in_code')) return this.#codes(text, values);
    if (text.includes('known_network')) return this.known.has(`${values[1]} ${values[2]}`) ? [{}] : [];
    throw new Error(`not a statement of signing in: ${text}`);
  }

  #attempts(text: string, values: Values): unknown[] {
    const at = (bucket: unknown, start: unknown) => `${bucket} ${new Date(start as string).getTime()}`;
    const [bucket, start, most] = values;
    if (text.startsWith('select')) {
      const [buckets, starts] = values as [string[], string[]];
      return buckets.map((one, n) => ({ bucket: one, count: this.attempts.get(at(one, starts[n])) ?? 0 }));
    }
    const count = this.attempts.get(at(bucket, start)) ?? 0;
    if (text.startsWith('update')) {
      this.attempts.set(at(bucket, start), Math.max(0, count - 1));
      return [];
    }
    if (!text.startsWith('insert')) throw new Error(`not a statement of attempts: ${text}`);
    if (count >= Number(most)) return [];
    this.attempts.set(at(bucket, start), count + 1);
    return [{ count: count + 1 }];
  }

  #codes(text: string, values: Values): unknown[] {
    const name = `${values[0]} ${values[1]}`;
    const row = this.codes.get(name);
    if (text.startsWith('select')) return row ? [{ ...row }] : [];
    if (text.startsWith('insert')) {
      const none = { seed: null, digits: null, madeAt: null, strangersAt: null };
      if (!row) this.codes.set(name, { ...none, digest: Buffer.alloc(0), tries: 0, expiresAt: values[2] as Date });
      return [];
    }
    if (!row) return [];
    if (text.startsWith('update sign_in_code set digest')) {
      const [digest, tries, expiresAt, seed, digits, madeAt, strangersAt] = values.slice(2) as never[];
      Object.assign(row, { digest, tries, expiresAt, seed, digits, madeAt, strangersAt });
      return [];
    }
    if (text.startsWith('update sign_in_code set tries')) {
      if (row.expiresAt <= (values[2] as Date) || row.tries >= Number(values[3])) return [];
      row.tries++;
      return [{ digest: row.digest }];
    }
    if (!text.startsWith('update sign_in_code set expires_at')) throw new Error(`not a statement of codes: ${text}`);
    row.expiresAt = values[2] as Date;
    return [];
  }
}
