/** What an error of the driver means: by SQLSTATE where the server answered, by its absence where it did not. */

/** The database cannot be opened, for a reason that the operator can do something about; the message says what. */
export class DatabaseNotUsable extends Error {}

/** Also recognises the embedded engine, whose own number for a full disk is 51. */
export function isDiskFull(message: string): boolean {
  return /ENOSPC|no space left|errno: 51\b/i.test(message);
}

/** The disk under the data directory, or that of the database, is full: seen in the error or in what caused it. */
export function lacksRoom(error: unknown): boolean {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    const { code } = one as { code?: unknown };
    if (code === 'EDQUOT' || code === '53100' || isDiskFull(`${String(code)} ${one.message}`)) return true;
  }
  return false;
}

export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  // Node's own codes begin with E (EPIPE has five letters too); no SQLSTATE class does.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E') ? code : undefined;
}

/** The statement did not reach the database, or the database is going away or coming up. */
export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error);
  // A value that cannot be written as a parameter is a fault of the caller, found before anything was sent.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return false;
  if (state === undefined) return true;
  // 08: connection exceptions. 57P01–57P03: shutdown, crash, starting up. 53300: no connection left.
  return state.startsWith('08') || /^57P0[1-3]$/.test(state) || state === '53300';
}

/** Serialization failure or deadlock: the same work may succeed when run again. */
export function isWorthRetrying(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** `index`: only where that one was violated. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  if (sqlState(error) !== '23505') return false;
  // The two drivers name it differently.
  const { constraint, constraint_name: name } = error as { constraint?: unknown; constraint_name?: unknown };
  return index === undefined || (constraint ?? name) === index;
}

/** A lock was not to be had within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}
