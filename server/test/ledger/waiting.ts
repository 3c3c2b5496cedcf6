/** What waits in a journal, as the poster gets it. */

import type { FileJournal } from '../../src/ledger/index.ts';
import { readLines } from '../../src/ledger/journal-lines.ts';
import { idOf } from '../../src/requestlog/index.ts';

/** The texts of the oldest batch. */
export function oldestTexts(journal: FileJournal): string[] {
  const batch = journal.oldest();
  return batch ? readLines(batch.lines).lines.map((line) => line.body) : [];
}

/** Tells the journal that its oldest batches were posted; returns the ids of what was in them. */
export function takePosted(journal: FileJournal, batches = Number.POSITIVE_INFINITY): string[] {
  const ids: string[] = [];
  for (let n = 0; n < batches; n++) {
    const batch = journal.oldest();
    if (!batch) break;
    ids.push(...oldestTexts(journal).map(idOf));
    journal.posted(batch);
  }
  return ids;
}
