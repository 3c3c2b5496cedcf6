/**
 * Pictures by address. The address is the only key to a picture, so it cannot be guessed, and the database holds its digest alone.
 * Bytes lie in parts, because one row of many megabytes is read and written slowly. What an account keeps is bounded: its oldest go first.
 */
import { createHash } from 'node:crypto';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import { type Database, inBatches, lockUntilCommit, type Queryable, ROWS_PER_STATEMENT } from '../platform/db/index.ts';

export const PICTURE_LIFETIME_MS = HOUR_MS;
const PART_BYTES = 512 * 1024;
const MAX_ACCOUNT_BYTES = 256 * 1024 * 1024;
const NAME_BYTES = 32;
const NAME = /^[\w-]{43}$/;

export interface KeptPicture {
  type: string;
  bytes: number;
  /** Read one by one as they are wanted: a slow reader holds one of them. */
  parts: AsyncIterable<Uint8Array>;
}

export interface Pictures {
  /** Where this service is reached from outside. */
  servedAt(address: () => string): void;
  /** Their addresses, in the same order. */
  keep(accountId: string, pictures: readonly Buffer[]): Promise<string[]>;
  /** Undefined for what is not there, or no longer. */
  find(name: string): Promise<KeptPicture | undefined>;
  /** Deletes what has expired. */
  clean(): Promise<void>;
}

interface PicturesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  maxAccountBytes?: number;
}

export function createPictures({
  db,
  clock,
  randomBytes,
  maxAccountBytes = MAX_ACCOUNT_BYTES,
}: PicturesOptions): Pictures {
  let address = (): string => '';
  return {
    servedAt(told) {
      address = told;
    },
    async keep(accountId, pictures) {
      const names = pictures.map(() => Buffer.from(randomBytes(NAME_BYTES)).toString('base64url'));
      const now = clock.now();
      const bytes = pictures.reduce((sum, picture) => sum + picture.length, 0);
      await db.transaction(async (tx) => {
        await lockUntilCommit(tx, `pictures of ${accountId}`);
        await makeRoom(tx, accountId, Math.max(0, maxAccountBytes - bytes));
        for (const [at, picture] of pictures.entries())
          await insert(tx, { id: digestOf(names[at] ?? ''), accountId, picture, now });
      });
      return names.map((name) => `${address()}/pictures/${name}`);
    },
    async find(name) {
      if (!NAME.test(name)) return undefined;
      const id = digestOf(name);
      const [head] = await db.query<{ type: string; bytes: number }>(
        'select type, bytes::float8 as bytes from drawn_picture where id = $1 and expires_at > to_timestamp($2::float8 / 1000)',
        [id, clock.now()],
      );
      return head && { ...head, parts: partsOf(db, id) };
    },
    async clean() {
      await inBatches(() =>
        db.query(
          `delete from drawn_picture where id in (
             select id from drawn_picture where expires_at <= to_timestamp($1::float8 / 1000) limit ${ROWS_PER_STATEMENT})
           returning id`,
          [clock.now()],
        ),
      );
    },
  };
}

/** Of an account that was closed: its pictures go before their time. */
export async function forgetPictures(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from drawn_picture where account_id = $1', [accountId]);
}

async function* partsOf(db: Queryable, id: string): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part++) {
    const [row] = await db.query<{ data: Uint8Array }>(
      'select data from drawn_picture_part where picture_id = $1 and part = $2',
      [id, part],
    );
    if (!row) return;
    yield row.data;
  }
}

async function makeRoom(tx: Queryable, accountId: string, room: number): Promise<void> {
  await tx.query(
    `delete from drawn_picture where id in (
       select id from (select id, sum(bytes) over (order by created_at desc, id) as total
                         from drawn_picture where account_id = $1) placed where total > $2)`,
    [accountId, room],
  );
}

async function insert(
  tx: Queryable,
  { id, accountId, picture, now }: { id: string; accountId: string; picture: Buffer; now: number },
): Promise<void> {
  await tx.query(
    `insert into drawn_picture (id, account_id, type, bytes, created_at, expires_at)
     values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($6::float8 / 1000))`,
    [id, accountId, typeOf(picture), picture.length, now, now + PICTURE_LIFETIME_MS],
  );
  for (let part = 0; part * PART_BYTES < picture.length; part++)
    await tx.query('insert into drawn_picture_part (picture_id, part, data) values ($1, $2, $3)', [
      id,
      part,
      picture.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
    ]);
}

/** By its first bytes, never by what anybody said: only what no browser runs has a type of its own. */
function typeOf(bytes: Buffer): string {
  if (bytes.subarray(0, 4).toString('latin1') === '\x89PNG') return 'image/png';
  if (bytes.subarray(0, 3).toString('latin1') === '\xff\xd8\xff') return 'image/jpeg';
  if (bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP')
    return 'image/webp';
  return bytes.subarray(0, 4).toString('latin1') === 'GIF8' ? 'image/gif' : 'application/octet-stream';
}

function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
