/** A kill, without killing the test: the journal's folder as it lies on disk at this moment, taken over by a new process. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/platform/db/index.ts';
import { type Bookkeeping, keepBooksAt } from './bookkeeping.ts';

export function crashImage(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'dargah-crash-'));
  cpSync(folder, copy, { recursive: true });
  rmSync(join(copy, 'lock'), { force: true });
  return copy;
}

export function restartFrom(folder: string, db: Database): Promise<Bookkeeping> {
  return keepBooksAt(crashImage(folder), db);
}
