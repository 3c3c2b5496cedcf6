/**
 * The stored code of a contact: one row per contact and purpose. The row outlives its code, because it records when a
 * message was sent.
 */
import { column, columnsOf, command, orNull, type Queryable, type RowOf, statement } from '../platform/db/index.ts';
import { STRANGERS_WAIT_MS } from './code-limits.ts';

/** `proof`: a person who is signed in proves again who they are. */
export type CodePurpose = 'sign-in' | 'add-method' | 'proof';

/** Whose code it is, and its purpose. */
export interface CodeName {
  value: string;
  purpose: CodePurpose;
}

const codeRow = {
  digest: column.bytes,
  /** Wrong tries of strangers at this code. */
  tries: column.int,
  expiresAt: column.timestamp,
  /** Null in rows of the version before, whose codes cannot be sent again. */
  seed: orNull(column.bytes),
  digits: orNull(column.int),
  madeAt: orNull(column.timestamp),
  /** When strangers last caused a message. */
  strangersAt: orNull(column.timestamp),
};
export type CodeRow = RowOf<typeof codeRow>;

const CODE = statement(codeRow, `select ${columnsOf(codeRow)} from sign_in_code where contact = $1 and purpose = $2`);
const LOCKED_CODE = statement(codeRow, `${CODE.text} for update`);

export function findCode(db: Queryable, { value, purpose }: CodeName, lock = false): Promise<CodeRow | undefined> {
  return (lock ? LOCKED_CODE : CODE).first(db, [value, purpose]);
}

const INSERT_EMPTY_CODE = command(
  `insert into sign_in_code (contact, purpose, digest, sent_at, expires_at) values ($1, $2, '', $3, $3)
   on conflict (contact, purpose) do nothing`,
);

/** Locks the row until the transaction ends; inserts a row without a code where there is none. */
export async function lockCode(tx: Queryable, name: CodeName): Promise<CodeRow> {
  const past = new Date(0);
  await INSERT_EMPTY_CODE.run(tx, [name.value, name.purpose, past]);
  return LOCKED_CODE.only(tx, [name.value, name.purpose]);
}

const WRITE_CODE = command(
  `update sign_in_code set digest = $3, tries = $4, expires_at = $5, seed = $6, digits = $7, made_at = $8, strangers_at = $9,
     sent_at = $10 where contact = $1 and purpose = $2`,
);

export async function writeCode(
  tx: Queryable,
  { value, purpose }: CodeName,
  row: CodeRow,
  sentAt: Date,
): Promise<void> {
  const { digest, tries, expiresAt, seed, digits, madeAt, strangersAt } = row;
  await WRITE_CODE.run(tx, [value, purpose, digest, tries, expiresAt, seed, digits, madeAt, strangersAt, sentAt]);
}

const COUNT_TRY = statement(
  { digest: column.bytes },
  `update sign_in_code set tries = tries + 1 where contact = $1 and purpose = $2 and expires_at > $3 and tries < $4
   returning digest`,
);

/**
 * Counts a stranger's try at a valid code before it is checked, so that a thousand at once count as a thousand tries.
 */
export function countTry(
  tx: Queryable,
  { value, purpose }: CodeName,
  now: Date,
  max: number,
): Promise<{ digest: Buffer } | undefined> {
  return COUNT_TRY.first(tx, [value, purpose, now, max]);
}

const END_CODE = command('update sign_in_code set expires_at = $3 where contact = $1 and purpose = $2');

/** Marks the code as used. The row stays, because it records when strangers last caused a message. */
export async function endCode(tx: Queryable, { value, purpose }: CodeName, now: Date): Promise<void> {
  await END_CODE.run(tx, [value, purpose, now]);
}

export const FORGET_OLD_CODES = command('delete from sign_in_code where expires_at < $1');

export function isAlive({ expiresAt }: CodeRow, nowMs: number): boolean {
  return expiresAt.getTime() > nowMs;
}

/** How long strangers must wait until they can cause another message to this contact. */
export function strangersWaitMs({ strangersAt }: CodeRow, nowMs: number): number {
  return strangersAt === null ? 0 : Math.max(0, strangersAt.getTime() + STRANGERS_WAIT_MS - nowMs);
}
