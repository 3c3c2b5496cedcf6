/** The journal: what a killed process wrote is read again, whole. @tier gateway */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines, writeLine } from '../../src/ledger/journal-lines.ts';
import { recoverJournal } from '../../src/ledger/recover.ts';
import { decodeRecord, encodeRecord } from '../../src/requestlog/index.ts';
import { crashImage } from './crash.ts';
import { journalFolder } from './journal-folder.ts';
import { record, startRecord, testLog } from './request-fixture.ts';
import { oldestTexts, takePosted } from './waiting.ts';

const folder = journalFolder();

const files = (path = folder.path) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.journal'))
    .sort();

describe('what survives a kill', () => {
  it('a record is in the file when close() resolves, and comes back whole', async () => {
    const journal = await folder.open(folder.path);
    await journal.open(startRecord('r1'));
    const whole = record('r1', { user: 'خط‌کش \u0000 \ud800 \\u0000' });
    await journal.close(whole);
    const next = await folder.open(crashImage(folder.path));
    expect(next.recovery).toEqual({ records: 1, killed: 0, damaged: 0, torn: 0 });
    expect(oldestTexts(next).map(decodeRecord)).toEqual([whole]);
  });

  it('an opening without a closing becomes an interrupted request that costs nothing', async () => {
    const journal = await folder.open(folder.path);
    await Promise.all([journal.open(startRecord('r1')), journal.open(startRecord('r2'))]);
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
    await journal.open(startRecord('r1'));
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
    await Promise.all([journal.open(startRecord('r1')), journal.open(startRecord('r2')), journal.close(record('r1'))]);
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

describe('a journal of a build that nobody released', () => {
  it('stops the start instead of being taken for empty', async () => {
    const line = encodeRecord(record('r1'));
    const fewer = line.replace(/\f[^\f]*/, '');
    const more = line.replace('\f', '\f\f');
    for (const text of ['{"id":"r1"}', `r1\t${'column\t'.repeat(20)}`, fewer, more]) {
      writeFileSync(join(folder.path, '00000001.journal'), writeLine('C', text));
      await expect(folder.open(folder.path)).rejects.toThrow(/another build/);
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
    await journal.open(startRecord('long'));
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
    await journal.open(startRecord('r4'));
    expect(takePosted(await folder.open(crashImage(folder.path)))).toEqual(['r3', 'r4']);
  });

  it('keeps recovered segments until what is in them is posted, also over a second crash', async () => {
    const journal = await folder.open(folder.path);
    await journal.open(startRecord('r1'));
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
