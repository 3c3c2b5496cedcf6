import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileJournal, type JournalOptions, openJournal } from '../../src/ledger/journal.ts';
import { readLines, writeLine } from '../../src/ledger/journal-lines.ts';
import { createSegment } from '../../src/ledger/journal-segment.ts';
import { recoverJournal } from '../../src/ledger/recover.ts';
import { JournalUnavailable } from '../../src/ledger/stalled-closes.ts';
import { decodeRecord, encodeRecord, idOf } from '../../src/requestlog/index.ts';
import { crashImage } from './crash.ts';
import { opening, record, testClock, testLog } from './request-fixture.ts';
import { oldestTexts, takePosted } from './waiting.ts';

let folder: string;
const opened: FileJournal[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dargah-journal-'));
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.shutdown().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
});

async function journalAt(path: string, over: Partial<JournalOptions> = {}): Promise<FileJournal> {
  const journal = await openJournal({ folder: path, clock: testClock(), log: testLog(), ...over });
  opened.push(journal);
  return journal;
}

const files = (path = folder) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.journal'))
    .sort();

describe('what survives a kill', () => {
  it('a record is in the file when close() resolves, and comes back whole', async () => {
    const journal = await journalAt(folder);
    await journal.open(opening('r1'));
    const whole = record('r1', { user: 'خط‌کش \u0000 \ud800 \\u0000' });
    await journal.close(whole);
    const next = await journalAt(crashImage(folder));
    expect(next.recovery).toEqual({ records: 1, killed: 0, damaged: 0, torn: 0 });
    expect(oldestTexts(next).map(decodeRecord)).toEqual([whole]);
  });

  it('an opening without a closing becomes an interrupted request that costs nothing', async () => {
    const journal = await journalAt(folder);
    await Promise.all([journal.open(opening('r1')), journal.open(opening('r2'))]);
    await journal.close(record('r1'));
    const next = await journalAt(crashImage(folder));
    expect(next.recovery.killed).toBe(1);
    const [closed, killed] = oldestTexts(next).map(decodeRecord);
    expect(closed?.state).toBe('completed');
    expect(killed).toMatchObject({ id: 'r2', state: 'interrupted', errorCode: 'killed', cost: 0n, held: 9_000n });
  });

  it('a last line cut at any byte is ignored and the lines before it are kept', () => {
    const first = writeLine('C', 'r1\tacme');
    const whole = Buffer.concat([first, writeLine('O', 'ردیف\tacme')]);
    const last = first.length;
    for (let cut = last; cut < whole.length; cut++) {
      const content = readLines(whole.subarray(0, cut));
      expect(content.lines).toEqual([{ kind: 'C', body: 'r1\tacme' }]);
      expect(content).toMatchObject({ damaged: 0, torn: cut > last });
    }
    expect(readLines(whole).lines).toHaveLength(2);
  });

  it('a flipped byte is never taken for a charge, and is reported when it is not the last line', () => {
    const first = writeLine('C', 'r1\tacme');
    const whole = Buffer.concat([first, writeLine('C', 'r2\tacme')]);
    for (let at = 0; at < first.length - 1; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      const content = readLines(bytes);
      expect(content.lines.map((line) => line.body)).not.toContain('r1\tacme');
      expect(content.damaged).toBeGreaterThan(0);
    }
  });

  it('says that a line was torn, and what it may have held', async () => {
    const journal = await journalAt(folder);
    await journal.open(opening('r1'));
    await journal.close(record('r1'));
    const image = crashImage(folder);
    const last = join(image, files(image).at(-1) as string);
    writeFileSync(last, readFileSync(last).subarray(0, -5));
    const warnings: object[] = [];
    await journalAt(image, { log: { ...testLog(), warn: (fields: object) => void warnings.push(fields) } });
    expect(warnings).toEqual([{ torn: 1 }]);
  });

  it('recovery changes nothing, so it may be killed and repeated', async () => {
    const journal = await journalAt(folder);
    await Promise.all([journal.open(opening('r1')), journal.open(opening('r2')), journal.close(record('r1'))]);
    const image = crashImage(folder);
    appendFileSync(join(image, files(image)[0] ?? ''), 'C0123');
    const first = await recoverJournal(image);
    const second = await recoverJournal(image);
    expect(first).toEqual(second);
    expect(first.torn).toBe(1);
    expect(first.records.map((found) => decodeRecord(found.text)?.id)).toEqual(['r1', 'r2']);
  });

  it('a process killed with SIGKILL leaves every acknowledged record', async () => {
    const program = `
      const { writeSync, openSync } = require('node:fs');
      const fd = openSync(process.argv[1], 'wx');
      writeSync(fd, process.argv[2]);
      process.kill(process.pid, 'SIGKILL');`;
    const line = writeLine('C', encodeRecord(record('r7'))).toString();
    const killed = spawnSync(process.execPath, ['-e', program, join(folder, '00000001.journal'), line]);
    expect(killed.signal).toBe('SIGKILL');
    expect((await recoverJournal(folder)).records).toHaveLength(1);
  });
});

describe('a journal of an earlier build', () => {
  it('stops the start instead of being taken for empty', async () => {
    const line = encodeRecord(record('r1'));
    const fewer = line.replace(/\f[^\f]*/, '');
    const more = line.replace('\f', '\f\f');
    for (const text of ['{"id":"r1"}', `r1\t${'column\t'.repeat(20)}`, fewer, more]) {
      writeFileSync(join(folder, '00000001.journal'), writeLine('C', text));
      await expect(journalAt(folder)).rejects.toThrow(/earlier build/);
    }
  });
});

describe('segments', () => {
  it('rotates by size and deletes the oldest once everything in it is posted', async () => {
    const journal = await journalAt(folder, { segmentBytes: 900, batchSize: 1 });
    for (let n = 1; n <= 6; n++) await journal.close(record(`r${n}`));
    const before = files().length;
    expect(before).toBeGreaterThan(2);
    takePosted(journal, 5);
    expect(files().length).toBeLessThan(before);
    const next = await journalAt(crashImage(folder));
    expect(takePosted(journal)).toEqual(['r6']);
    expect(takePosted(next)).toContain('r6');
  });

  it('carries a long-running opening over, so that it cannot keep old files', async () => {
    const journal = await journalAt(folder, { segmentBytes: 900 });
    await journal.open(opening('long'));
    for (let n = 1; n <= 9; n++) await journal.close(record(`r${n}`));
    expect(takePosted(journal)).toHaveLength(9);
    expect(files().length).toBeLessThanOrEqual(2);
    const next = await journalAt(crashImage(folder));
    expect(next.recovery.killed).toBe(1);
    await journal.close(record('long'));
    const later = await journalAt(crashImage(folder));
    expect(later.recovery.killed).toBe(0);
    expect(takePosted(later)).toContain('long');
  });

  it('does not offer again what was marked as posted', async () => {
    const journal = await journalAt(folder, { batchSize: 2 });
    await Promise.all(['r1', 'r2', 'r3'].map((id) => journal.close(record(id))));
    expect(takePosted(journal, 1)).toEqual(['r1', 'r2']);
    await journal.open(opening('r4'));
    expect(takePosted(await journalAt(crashImage(folder)))).toEqual(['r3', 'r4']);
  });

  it('keeps recovered segments until what is in them is posted, also over a second crash', async () => {
    const journal = await journalAt(folder);
    await journal.open(opening('r1'));
    await journal.close(record('r2'));
    const second = crashImage(folder);
    const restarted = await journalAt(second);
    expect(files(second)).toHaveLength(2);
    await restarted.close(record('r3'));
    const again = await recoverJournal(second);
    expect(again.records.map((found) => decodeRecord(found.text)?.id)).toEqual(['r2', 'r3', 'r1']);
    expect(takePosted(restarted)).toEqual(['r2', 'r1', 'r3']);
    await restarted.shutdown();
    expect(files(second)).toEqual([]);
  });

  it('an emptied journal leaves no file, one with work left leaves it', async () => {
    const journal = await journalAt(folder);
    await journal.close(record('r1'));
    takePosted(journal);
    await journal.shutdown();
    expect(readdirSync(folder)).toEqual([]);
    const next = await journalAt(folder);
    await next.close(record('r2'));
    await next.shutdown();
    expect(files()).toHaveLength(1);
    expect(takePosted(await journalAt(folder))).toEqual(['r2']);
  });
});

describe('bounds and refusals', () => {
  it('acknowledges nothing before it is on disk when the sync interval is 0', async () => {
    let reachDisk: () => void = () => undefined;
    const onDisk = new Promise<void>((resolve) => {
      reachDisk = resolve;
    });
    const create: typeof createSegment = (path, number) => ({ ...createSegment(path, number), sync: () => onDisk });
    const journal = await journalAt(folder, { createSegment: create, syncIntervalMs: 0 });
    const acknowledged: string[] = [];
    const work = [
      journal.open(opening('r1')).then(() => acknowledged.push('opened')),
      journal.close(record('r1')).then(() => acknowledged.push('closed')),
    ];
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(acknowledged).toEqual([]);
    reachDisk();
    await Promise.all(work);
    expect(acknowledged).toEqual(['opened', 'closed']);
  });

  it('a sync that fails acknowledges nothing, and the charge is still posted', async () => {
    const create: typeof createSegment = (path, number) => ({
      ...createSegment(path, number),
      sync: () => Promise.reject(new Error('input/output error')),
    });
    const journal = await journalAt(folder, { createSegment: create, syncIntervalMs: 0, log: testLog() });
    await expect(journal.close(record('r1'))).rejects.toThrow(JournalUnavailable);
    expect(takePosted(journal)).toEqual(['r1']);
  });

  it('refuses a second process in the same folder', async () => {
    await journalAt(folder);
    await expect(journalAt(folder)).rejects.toThrow(/in use/);
  });

  it('takes over the lock of a process that is gone', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(join(folder, 'lock'), `${dead} 1\n`);
    await expect(journalAt(folder)).resolves.toBeDefined();
  });

  it('stops accepting when too much waits for the database, and accepts again when it is posted', async () => {
    const journal = await journalAt(folder, { maxUnposted: 3, batchSize: 2 });
    await Promise.all(['r1', 'r2', 'r3'].map((id) => journal.close(record(id))));
    expect(journal.depth()).toBe(3);
    expect(journal.accepting()).toBe(false);
    // What was admitted before must still be able to end.
    await journal.close(record('r4'));
    takePosted(journal, 1);
    expect(journal.accepting()).toBe(true);
  });

  it('finds running and waiting requests, and announces long ones once', async () => {
    const clock = testClock();
    const journal = await journalAt(folder, { clock });
    await journal.open(opening('r1'));
    clock.advance(5_000);
    await journal.open(opening('r2'));
    expect(journal.longRunning(2_000, 10).map((found) => found.id)).toEqual(['r1']);
    expect(journal.longRunning(2_000, 10)).toEqual([]);
    expect(decodeRecord(journal.lookup('r1') ?? '')).toMatchObject({ id: 'r1', state: 'running' });
    await journal.close(record('r1'));
    expect(decodeRecord(journal.lookup('r1') ?? '')?.state).toBe('completed');
    takePosted(journal);
    expect(journal.lookup('r1')).toBeUndefined();
  });

  it('announces the oldest first, as many as asked for, and none that has ended', async () => {
    const clock = testClock();
    const journal = await journalAt(folder, { clock });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await journal.open(opening(id));
      clock.advance(1_000);
    }
    for (const id of ['a', 'd', 'f']) await journal.close(record(id));
    const announced = (limit: number) => journal.longRunning(1_500, limit).map((found) => found.id);
    expect(announced(2)).toEqual(['b', 'c']);
    await journal.open(opening('g'));
    expect(announced(9)).toEqual(['e']);
    await Promise.all(['b', 'c', 'e', 'g'].map((id) => journal.close(record(id))));
    clock.advance(9_000);
    expect(announced(9)).toEqual([]);
    await journal.open(opening('h'));
    clock.advance(9_000);
    expect(announced(9)).toEqual(['h']);
    expect(journal.health().running).toBe(1);
  });

  it('finds a request by its own id, not where another one names it', async () => {
    const journal = await journalAt(folder);
    await Promise.all([
      journal.close(record('r1', { model: 'r2' })),
      journal.close(record('r2')),
      journal.close(record('r3')),
    ]);
    for (const id of ['r1', 'r2', 'r3']) expect(decodeRecord(journal.lookup(id) ?? '')?.id).toBe(id);
    expect(journal.lookup('acme')).toBeUndefined();
  });

  it('hands out batches of the wished size, whole turns where they fit, and adds nothing to one handed out', async () => {
    const journal = await journalAt(folder, { batchSize: 3 });
    const closeAll = (names: string[]) => Promise.all(names.map((id) => journal.close(record(id))));
    await closeAll(['a', 'b']);
    await closeAll(['c']);
    expect(journal.behind()).toBe(false);
    await closeAll(['d']);
    expect(journal.behind()).toBe(true);
    expect(takePosted(journal, 1)).toEqual(['a', 'b', 'c']);
    expect(oldestTexts(journal).map(idOf)).toEqual(['d']);
    await closeAll(['e', 'f', 'g', 'h']);
    expect(takePosted(journal, 1)).toEqual(['d']);
    expect(takePosted(journal, 1)).toEqual(['e', 'f', 'g']);
    expect(takePosted(journal)).toEqual(['h']);
    expect(journal.health()).toMatchObject({ depth: 0, bytes: 0 });
  });

  it('keeps lines of any length and any letters apart', async () => {
    const journal = await journalAt(folder);
    const users = ['ردیف'.repeat(40_000), 'x'.repeat(600_000), '\ud83d\ude00'.repeat(9), 'short'];
    for (const [at, user] of users.entries()) await journal.close(record(`r${at}`, { user }));
    const found = [];
    while (journal.depth() > 0) {
      found.push(...oldestTexts(journal).map((text) => decodeRecord(text)?.user));
      takePosted(journal, 1);
    }
    expect(found).toEqual(users);
  });

  it('writes all records of one turn with one system call', async () => {
    const journal = await journalAt(folder);
    const all = Array.from({ length: 50 }, (_, n) => journal.close(record(`r${n}`)));
    const file = join(folder, files()[0] ?? '');
    expect(readFileSync(file).length).toBe(0);
    await all[0];
    expect(readLines(readFileSync(file)).lines).toHaveLength(50);
    await Promise.all(all);
  });
});

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
    const journal = await journalAt(folder, { createSegment: create, log });
    disk.full = true;
    await expect(journal.open(opening('r1'))).rejects.toThrow(JournalUnavailable);
    await expect(journal.open(opening('r2'))).rejects.toThrow(JournalUnavailable);
    expect(journal.accepting()).toBe(false);
    expect(journal.health()).toMatchObject({ writing: false, running: 0 });
    expect(log.errors).toHaveLength(1);
  });

  it('a closing waits for the disk and is written when there is room again', async () => {
    const { disk, create } = fillableDisk();
    const journal = await journalAt(folder, { createSegment: create });
    await journal.open(opening('r1'));
    disk.full = true;
    const closing = journal.close(record('r1'));
    await expect(journal.open(opening('r2'))).rejects.toThrow(JournalUnavailable);
    disk.full = false;
    await closing;
    expect(journal.accepting()).toBe(true);
    const next = await journalAt(crashImage(folder));
    expect(next.recovery).toMatchObject({ records: 1, killed: 0 });
  });

  it('a closing that the database has is safe without the disk, and is not written later', async () => {
    const { disk, create } = fillableDisk();
    const journal = await journalAt(folder, { createSegment: create });
    disk.full = true;
    const closing = journal.close(record('r1'));
    await expect(journal.open(opening('r2'))).rejects.toThrow(JournalUnavailable);
    expect(takePosted(journal)).toEqual(['r1']);
    await closing;
    disk.full = false;
    const later = journal.close(record('r3'));
    await later;
    expect(takePosted(await journalAt(crashImage(folder)))).toEqual(['r3']);
  });

  it('a request does not wait for ever, but its charge stays', async () => {
    const { disk, create } = fillableDisk();
    const journal = await journalAt(folder, { createSegment: create, patienceMs: 1 });
    disk.full = true;
    await expect(journal.close(record('r1'))).rejects.toThrow(JournalUnavailable);
    expect(takePosted(journal)).toEqual(['r1']);
  });

  it('half a line of a failed write is cut off again', () => {
    const segment = createSegment(folder, 1);
    segment.append(writeLine('O', 'r1\tacme'));
    // A length beyond the buffer makes the write fail after the system has taken the first part.
    const lying = writeLine('C', 'r2\tacme');
    Object.defineProperty(lying, 'length', { value: lying.length + 10 });
    expect(() => segment.append(lying)).toThrow();
    segment.append(writeLine('C', 'r3\tacme'));
    segment.close();
    const content = readLines(readFileSync(join(folder, '00000001.journal')));
    expect(content).toMatchObject({ damaged: 0, torn: false });
    expect(content.lines.map((line) => line.body)).toEqual(['r1\tacme', 'r3\tacme']);
  });
});
