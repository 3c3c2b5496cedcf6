/** Charges that the database can never take: kept in a file of the journal's folder, counted and listed for the operator. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeLine } from '../../src/ledger/journal-lines.ts';
import { encodeRecord } from '../../src/requestlog/index.ts';
import { crashImage } from './crash.ts';
import { journalFolder } from './journal-folder.ts';
import { record } from './request-fixture.ts';

const folder = journalFolder();

describe('charges set aside', () => {
  it('shows what was set aside, also after a restart', async () => {
    const journal = await folder.open(folder.path);
    journal.addDeadLetter(writeLine('C', encodeRecord(record('r1'))), 'value "x"\nis out of range');
    expect(journal.health().deadLetters).toBe(1);
    const next = await folder.open(crashImage(folder.path));
    expect(next.health().deadLetters).toBe(1);
    expect(await next.deadLetters()).toMatchObject([
      { id: 'r1', reason: 'value "x" is out of range', deadLetteredAt: expect.any(String), record: { cost: 500n } },
    ]);
  });

  it('lists what another build set aside by its id and time, and a damaged line as one', async () => {
    const journal = await folder.open(folder.path);
    const { createdAt } = record('r1');
    journal.addDeadLetter(writeLine('C', `r1\t${createdAt}\tcolumns of another build`), 'no such column');
    journal.addDeadLetter(Buffer.from('not a line of the journal\n'), 'unreadable');
    const next = await folder.open(crashImage(folder.path));
    expect(next.health().deadLetters).toBe(2);
    expect(await next.deadLetters()).toMatchObject([
      { id: 'r1', createdAt, reason: 'no such column', record: undefined },
      { id: undefined, createdAt: undefined, reason: 'unreadable', record: undefined },
    ]);
  });

  it('counts and lists lines without a note, as earlier builds wrote them', async () => {
    writeFileSync(join(folder.path, 'rejected.lines'), writeLine('C', encodeRecord(record('r1'))));
    const journal = await folder.open(folder.path);
    expect(journal.health().deadLetters).toBe(1);
    expect(await journal.deadLetters()).toMatchObject([{ id: 'r1', reason: undefined, deadLetteredAt: undefined }]);
  });
});
