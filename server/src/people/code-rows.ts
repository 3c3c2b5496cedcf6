/** The code of a contact as it is stored: one row per contact and purpose, which outlives its code and remembers when it was sent. */
import type { Queryable } from '../platform/db/index.ts';
import { STRANGERS_WAIT_MS } from './code-limits.ts';

/** `proof`: somebody who is signed in proves again who they are. */
export type CodePurpose = 'sign-in' | 'add-method' | 'proof';

/** Whose code it is, and for what. */
export interface CodeName {
  value: string;
  purpose: CodePurpose;
}

export interface CodeRow {
  digest: Buffer;
  /** Wrong tries of strangers at this code. */
  tries: number;
  expiresAt: Date;
  /** Null in rows of the version before, whose codes cannot be sent again. */
  seed: Buffer | null;
  digits: number | null;
  madeAt: Date | null;
  /** When strangers last caused a message. */
  strangersAt: Date | null;
}

const COLUMNS = `digest, tries, expires_at as "expiresAt", seed, digits, made_at as "madeAt", strangers_at as "strangersAt"`;

export async function findCode(
  db: Queryable,
  { value, purpose }: CodeName,
  lock = false,
): Promise<CodeRow | undefined> {
  const [row] = await db.query<CodeRow>(
    `select ${COLUMNS} from sign_in_code where contact = $1 and purpose = $2 ${lock ? 'for update' : ''}`,
    [value, purpose],
  );
  return row;
}

/** The row, locked until the transaction ends; one without a code is made where there is none. */
export async function lockCode(tx: Queryable, name: CodeName): Promise<CodeRow> {
  const past = new Date(0);
  await tx.query(
    `insert into sign_in_code (contact, purpose, digest, sent_at, expires_at) values ($1, $2, '', $3, $3)
     on conflict (contact, purpose) do nothing`,
    [name.value, name.purpose, past],
  );
  const row = await findCode(tx, name, true);
  if (!row) throw new Error('the row of a code is gone while it is locked');
  return row;
}

export async function writeCode(
  tx: Queryable,
  { value, purpose }: CodeName,
  row: CodeRow,
  sentAt: Date,
): Promise<void> {
  await tx.query(
    `update sign_in_code set digest = $3, tries = $4, expires_at = $5, seed = $6, digits = $7, made_at = $8, strangers_at = $9,
       sent_at = $10 where contact = $1 and purpose = $2`,
    [value, purpose, row.digest, row.tries, row.expiresAt, row.seed, row.digits, row.madeAt, row.strangersAt, sentAt],
  );
}

/** Counts a stranger's try at a living code before it is judged: a thousand at once are a thousand tries. */
export async function countTry(
  tx: Queryable,
  { value, purpose }: CodeName,
  now: Date,
  max: number,
): Promise<{ digest: Buffer } | undefined> {
  const [row] = await tx.query<{ digest: Buffer }>(
    `update sign_in_code set tries = tries + 1 where contact = $1 and purpose = $2 and expires_at > $3 and tries < $4
     returning digest`,
    [value, purpose, now, max],
  );
  return row;
}

/** The code is used up. The row stays, because it knows when strangers last caused a message. */
export async function endCode(tx: Queryable, { value, purpose }: CodeName, now: Date): Promise<void> {
  await tx.query('update sign_in_code set expires_at = $3 where contact = $1 and purpose = $2', [value, purpose, now]);
}

export function isAlive({ expiresAt }: CodeRow, nowMs: number): boolean {
  return expiresAt.getTime() > nowMs;
}

/** How long strangers must wait until they can cause another message to this contact. */
export function strangersWaitMs({ strangersAt }: CodeRow, nowMs: number): number {
  return strangersAt === null ? 0 : Math.max(0, strangersAt.getTime() + STRANGERS_WAIT_MS - nowMs);
}
