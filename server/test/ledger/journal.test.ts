import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines, writeLine } from '../../src/ledger/journal-lines.ts';
import { createSegment } from '../../src/ledger/journal-segment.ts';
import { recoverJournal } from '../../src/ledger/recover.ts';
import { JournalUnavailable } from '../../src/ledger/stalled-closes.ts';
import { decodeRecord, encodeRecord, idOf } from '../../src/requestlog/index.ts';
import { crashImage } from './crash.ts';
import { journalFolder } from './journal-folder.ts';
import { opening, record, testClock, testLog } from './request-fixture.ts';
import { oldestTexts, takePosted } from './waiting.ts';

const folder = journalFolder();

const files = (path = folder.path) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.journal'))
    .sort();

describe('what survives a kill', () => {
  it('a record is in the file when close() resolves, and comes back whole', async () => {
    const journal = await folder.open(folder.path);
    await journal.open(opening('r1'));
    const whole = record('r1', { user: 'خط‌کش \u0000 \ud800 \\u0000' });
    await journal.close(whole);
    const next = await folder.open(crashImage(folder.path));
    expect(next.recovery).toEqual({ records: 1, killed: 0, damaged: 0, torn: 0 });
    expect(oldestTexts(next).map(decodeRecord)).toEqual([whole]);
  });

  it('an opening without a closing becomes an interrupted request that costs nothing', async () => {
    const journal = await folder.open(folder.path);
    await Promise.all([journal.open(opening('r1')), journal.open(opening('r2'))]);
    await journal.close(record('r1'));
    const next = await folder.open(crashImage(folder.path));
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
    const journal = await folder.open(folder.path);
    await journal.open(opening('r1'));
    await journal.close(record('r1'));
    const image = crashImage(folder.path);
    const last = join(image, files(image).at(-1) as string);
    writeFileSync(last, readFileSync(last).subarray(0, -5));
    const warnings: object[] = [];
    await folder.open(image, { log: { ...testLog(), warn: (fields: object) => void warnings.push(fields) } });
    expect(warnings).toEqual([{ torn: 1 }]);
  });

  it('recovery changes nothing, so it may be killed and repeated', async () => {
    const journal = await folder.open(folder.path);
    await Promise.all([journal.open(opening('r1')), journal.open(opening('r2')), journal.close(record('r1'))]);
    const image = crashImage(folder.path);
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
    const killed = spawnSync(process.execPath, ['-e', program, join(folder.path, '00000001.journal'), line]);
    expect(killed.signal).toBe('SIGKILL');
    expect((await recoverJournal(folder.path)).records).toHaveLength(1);
  });
});

describe('a journal of an earlier build', () => {
  it('stops the start instead of being taken for empty', async () => {
    const line = encodeRecord(record('r1'));
    const fewer = line.replace(/\f[^\f]*/, '');
    const more = line.replace('\f', '\f\f');
    for (const text of ['{"id":"r1"}', `r1\t${'column\t'.repeat(20)}`, fewer, more]) {
      writeFileSync(join(folder.path, '00000001.journal'), writeLine('C', text));
      await expect(folder.open(folder.path)).rejects.toThrow(/earlier build/);
    }
  });
});

describe('segments', () => {
  it('rotates by size and deletes the oldest once everything in it is posted', async () => {
    const journal = await folder.open(folder.path, { segmentBytes: 900, batchSize: 1 });
    for (let n = 1; n <= 6; n++) await journal.close(record(`r${n}`));
    const before = files().length;
    expect(before).toBeGreaterThan(2);
    takePosted(journal, 5);
    expect(files().length).toBeLessThan(before);
    const next = await folder.open(crashImage(folder.path));
    expect(takePosted(journal)).toEqual(['r6']);
    expect(takePosted(next)).toContain('r6');
  });

  it('carries a long-running opening over, so that it cannot keep old files', async () => {
    const journal = await folder.open(folder.path, { segmentBytes: 900 });
    await journal.open(opening('long'));
    for (let n = 1; n <= 9; n++) await journal.close(record(`r${n}`));
    expect(takePosted(journal)).toHaveLength(9);
    expect(files().length).toBeLessThanOrEqual(2);
    const next = await folder.open(crashImage(folder.path));
    expect(next.recovery.killed).toBe(1);
    await journal.close(record('long'));
    const later = await folder.open(crashImage(folder.path));
    expect(later.recovery.killed).toBe(0);
    expect(takePosted(later)).toContain('long');
  });

  it('does not offer again what was marked as posted', async () => {
    const journal = await folder.open(folder.path, { batchSize: 2 });
    await Promise.all(['r1', 'r2', 'r3'].map((id) => journal.close(record(id))));
    expect(takePosted(journal, 1)).toEqual(['r1', 'r2']);
    await journal.open(opening('r4'));
    expect(takePosted(await folder.open(crashImage(folder.path)))).toEqual(['r3', 'r4']);
  });

  it('keeps recovered segments until what is in them is posted, also over a second crash', async () => {
    const journal = await folder.open(folder.path);
    await journal.open(opening('r1'));
    await journal.close(record('r2'));
    const second = crashImage(folder.path);
    const restarted = await folder.open(second);
    expect(files(second)).toHaveLength(2);
    await restarted.close(record('r3'));
    const again = await recoverJournal(second);
    expect(again.records.map((found) => decodeRecord(found.text)?.id)).toEqual(['r2', 'r3', 'r1']);
    expect(takePosted(restarted)).toEqual(['r2', 'r1', 'r3']);
    await restarted.shutdown();
    expect(files(second)).toEqual([]);
  });

  it('an emptied journal leaves no file, one with work left leaves it', async () => {
    const journal = await folder.open(folder.path);
    await journal.close(record('r1'));
    takePosted(journal);
    await journal.shutdown();
    expect(readdirSync(folder.path)).toEqual([]);
    const next = await folder.open(folder.path);
    await next.close(record('r2'));
    await next.shutdown();
    expect(files()).toHaveLength(1);
    expect(takePosted(await folder.open(folder.path))).toEqual(['r2']);
  });
});

describe('bounds and refusals', () => {
  it('acknowledges nothing before it is on disk when the sync interval is 0', async () => {
    let reachDisk: () => void = () => undefined;
    const onDisk = new Promise<void>((resolve) => {
      reachDisk = resolve;
    });
    const create: typeof createSegment = (path, number) => ({ ...createSegment(path, number), sync: () => onDisk });
    const journal = await folder.open(folder.path, { createSegment: create, syncIntervalMs: 0 });
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
    const journal = await folder.open(folder.path, { createSegment: create, syncIntervalMs: 0, log: testLog() });
    await expect(journal.close(record('r1'))).rejects.toThrow(JournalUnavailable);
    expect(takePosted(journal)).toEqual(['r1']);
  });

  it('refuses a second process in the same folder', async () => {
    await folder.open(folder.path);
    await expect(folder.open(folder.path)).rejects.toThrow(/in use/);
  });

  it('takes over the lock of a process that is gone', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(join(folder.path, 'lock'), `${dead} 1\n`);
    await expect(folder.open(folder.path)).resolves.toBeDefined();
  });

  it('stops accepting when too much waits for the database, and accepts again when it is posted', async () => {
    const journal = await folder.open(folder.path, { maxUnposted: 3, batchSize: 2 });
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
    const journal = await folder.open(folder.path, { clock });
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
    const journal = await folder.open(folder.path, { clock });
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
    const journal = await folder.open(folder.path);
    await Promise.all([
      journal.close(record('r1', { model: 'r2' })),
      journal.close(record('r2')),
      journal.close(record('r3')),
    ]);
    for (const id of ['r1', 'r2', 'r3']) expect(decodeRecord(journal.lookup(id) ?? '')?.id).toBe(id);
    expect(journal.lookup('acme')).toBeUndefined();
  });

  it('hands out batches of the wished size, whole turns where they fit, and adds nothing to one handed out', async () => {
    const journal = await folder.open(folder.path, { batchSize: 3 });
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
    const journal = await folder.open(folder.path);
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
    const journal = await folder.open(folder.path);
    const all = Array.from({ length: 50 }, (_, n) => journal.close(record(`r${n}`)));
    const file = join(folder.path, files()[0] ?? '');
    expect(readFileSync(file).length).toBe(0);
    await all[0];
    expect(readLines(readFileSync(file)).lines).toHaveLength(50);
    await Promise.all(all);
  });
});
