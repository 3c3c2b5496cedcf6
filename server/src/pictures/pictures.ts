/**
 * Pictures by address. The address is the only key to a picture, so it cannot be guessed, and the database holds only
 * its digest. Bytes are stored in parts, because one row of many megabytes is slow. The room of an account is bounded:
 * its oldest pictures are dropped first.
 */
import { createHash } from 'node:crypto';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import { type Database, inBatches, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import {
  DELETE_EXPIRED_PICTURES,
  DELETE_PICTURES_BEYOND,
  DELETE_PICTURES_OF_ACCOUNT,
  DRAWN_PICTURE,
  DRAWN_PICTURE_PART,
  INSERT_PICTURE,
  INSERT_PICTURE_PART,
} from './picture-rows.ts';

export const PICTURE_LIFETIME_MS = HOUR_MS;
const PART_BYTES = 512 * 1024;
const MAX_ACCOUNT_BYTES = 256 * 1024 * 1024;
const NAME_BYTES = 32;
const NAME = /^[\w-]{43}$/;

export interface KeptPicture {
  type: string;
  bytes: number;
  /** Parts are read one by one as they are needed: a slow reader holds one of them. */
  parts: AsyncIterable<Uint8Array>;
}

export interface Pictures {
  /** Where this service is reached from outside. */
  servedAt(address: () => string): void;
  /** Their addresses, in the same order. */
  keep(accountId: string, pictures: readonly Buffer[]): Promise<string[]>;
  /** Returns undefined for a picture that does not exist, or no longer. */
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
      const head = await DRAWN_PICTURE.first(db, [id, clock.now()]);
      return head && { ...head, parts: partsOf(db, id) };
    },
    async clean() {
      await inBatches(() => DELETE_EXPIRED_PICTURES.rows(db, [clock.now()]));
    },
  };
}

/** Deletes the pictures of an account that was closed. */
export async function forgetPictures(db: Queryable, accountId: string): Promise<void> {
  await DELETE_PICTURES_OF_ACCOUNT.run(db, [accountId]);
}

async function* partsOf(db: Queryable, id: string): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part++) {
    const row = await DRAWN_PICTURE_PART.first(db, [id, part]);
    if (!row) return;
    yield row.data;
  }
}

async function makeRoom(tx: Queryable, accountId: string, room: number): Promise<void> {
  await DELETE_PICTURES_BEYOND.run(tx, [accountId, room]);
}

async function insert(
  tx: Queryable,
  { id, accountId, picture, now }: { id: string; accountId: string; picture: Buffer; now: number },
): Promise<void> {
  await INSERT_PICTURE.run(tx, [id, accountId, typeOf(picture), picture.length, now, now + PICTURE_LIFETIME_MS]);
  for (let part = 0; part * PART_BYTES < picture.length; part++)
    await INSERT_PICTURE_PART.run(tx, [id, part, picture.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)]);
}

/** The type by the first bytes, never by what anybody claimed: only what no browser runs gets a type of its own. */
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
