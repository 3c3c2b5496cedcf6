/** Journals of a test in a folder of its own, which end and go with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type FileJournal, type JournalOptions, openJournal } from '../../src/ledger/journal.ts';
import { testClock, testLog } from './request-fixture.ts';

export interface JournalFolder {
  readonly path: string;
  open(path: string, over?: Partial<JournalOptions>): Promise<FileJournal>;
}

export function journalFolder(): JournalFolder {
  let path = '';
  const opened: FileJournal[] = [];
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'dargah-journal-'));
  });
  afterEach(async () => {
    for (const journal of opened.splice(0)) await journal.shutdown().catch(() => {});
    rmSync(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
    async open(at, over = {}) {
      const journal = await openJournal({ folder: at, clock: testClock(), log: testLog(), ...over });
      opened.push(journal);
      return journal;
    },
  };
}
