/** A disk that is full, or refuses for another reason: start records are refused, closings wait, and no charge is lost. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines, writeLine } from '../../src/ledger/journal-lines.ts';
import { createSegment } from '../../src/ledger/journal-segment.ts';
import { JournalUnavailable } from '../../src/ledger/stalled-closes.ts';
import { crashImage } from './crash.ts';
import { journalFolder } from './journal-folder.ts';
import { record, startRecord, testLog } from './request-fixture.ts';
import { takePosted } from './waiting.ts';

const folder = journalFolder();

describe('a disk that refuses', () => {
  function fillableDisk() {
    const disk = { full: false };
    const create: typeof createSegment = (path, number) => {
      const segment = createSegment(path, number);
      const append = segment.append.bind(segment);
      segment.append = (bytes) => {
        if (disk.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        append(bytes);
      };
      return segment;
    };
    return { disk, create };
  }

  it('refuses openings and new requests, and says so once', async () => {
    const { disk, create } = fillableDisk();
    const log = testLog();
    const journal = await folder.open(folder.path, { createSegment: create, log });
    disk.full = true;
    await expect(journal.open(startRecord('r1'))).rejects.toThrow(JournalUnavailable);
    await expect(journal.open(startRecord('r2'))).rejects.toThrow(JournalUnavailable);
    expect(journal.accepting()).toBe(false);
    expect(journal.health()).toMatchObject({ writing: false, running: 0 });
    expect(log.errors).toHaveLength(1);
  });

  it('a closing waits for the disk and is written when there is room again', async () => {
    const { disk, create } = fillableDisk();
    const journal = await folder.open(folder.path, { createSegment: create });
    await journal.open(startRecord('r1'));
    disk.full = true;
    const closing = journal.close(record('r1'));
    await expect(journal.open(startRecord('r2'))).rejects.toThrow(JournalUnavailable);
    disk.full = false;
    await closing;
    expect(journal.accepting()).toBe(true);
    const next = await folder.open(crashImage(folder.path));
    expect(next.recovery).toMatchObject({ records: 1, killed: 0 });
  });

  it('a closing that the database has is safe without the disk, and is not written later', async () => {
    const { disk, create } = fillableDisk();
    const journal = await folder.open(folder.path, { createSegment: create });
    disk.full = true;
    const closing = journal.close(record('r1'));
    await expect(journal.open(startRecord('r2'))).rejects.toThrow(JournalUnavailable);
    expect(takePosted(journal)).toEqual(['r1']);
    await closing;
    disk.full = false;
    const later = journal.close(record('r3'));
    await later;
    expect(takePosted(await folder.open(crashImage(folder.path)))).toEqual(['r3']);
  });

  it('a request does not wait for ever, but its charge stays', async () => {
    const { disk, create } = fillableDisk();
    const journal = await folder.open(folder.path, { createSegment: create, timeoutMs: 1 });
    disk.full = true;
    await expect(journal.close(record('r1'))).rejects.toThrow(JournalUnavailable);
    expect(takePosted(journal)).toEqual(['r1']);
  });

  it('half a line of a failed write is cut off again', () => {
    const segment = createSegment(folder.path, 1);
    segment.append(writeLine('O', 'r1\tacme'));
    // A length beyond the buffer makes the write fail after the system has taken the first part.
    const lying = writeLine('C', 'r2\tacme');
    Object.defineProperty(lying, 'length', { value: lying.length + 10 });
    expect(() => segment.append(lying)).toThrow();
    segment.append(writeLine('C', 'r3\tacme'));
    segment.close();
    const content = readLines(readFileSync(join(folder.path, '00000001.journal')));
    expect(content).toMatchObject({ damaged: 0, torn: false });
    expect(content.lines.map((line) => line.body)).toEqual(['r1\tacme', 'r3\tacme']);
  });
});
