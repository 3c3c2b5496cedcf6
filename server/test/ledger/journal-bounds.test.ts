/** What the journal refuses, announces and hands out, and how much it lets wait. @tier gateway */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readLines } from '../../src/ledger/journal-lines.ts';
import { createSegment } from '../../src/ledger/journal-segment.ts';
import { JournalUnavailable } from '../../src/ledger/stalled-closes.ts';
import { decodeRecord, idOf } from '../../src/requestlog/index.ts';
import { journalFolder } from './journal-folder.ts';
import { record, startRecord, testClock, testLog } from './request-fixture.ts';
import { oldestTexts, takePosted } from './waiting.ts';

const folder = journalFolder();

const files = (path = folder.path) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.journal'))
    .sort();

describe('syncs in the background', () => {
  const SYNC_MS = 100;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A journal whose syncs are counted, and end as the test says. */
  async function journalWith(ending: () => Promise<void>) {
    let syncs = 0;
    const create: typeof createSegment = (path, number) => ({
      ...createSegment(path, number),
      sync: () => {
        syncs++;
        return ending();
      },
    });
    const log = testLog();
    const journal = await folder.open(folder.path, { createSegment: create, syncIntervalMs: SYNC_MS, log });
    return { journal, log, syncs: () => syncs };
  }

  it('sleep while nothing is written, and begin again with the next record after any idle time', async () => {
    const { journal, syncs } = await journalWith(() => Promise.resolve());
    await vi.advanceTimersByTimeAsync(60 * SYNC_MS);
    expect(syncs()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    for (const [at, id] of ['r1', 'r2'].entries()) {
      await journal.close(record(id));
      await vi.advanceTimersByTimeAsync(SYNC_MS - 1);
      expect(syncs()).toBe(at);
      await vi.advanceTimersByTimeAsync(1);
      expect(syncs()).toBe(at + 1);
      await vi.advanceTimersByTimeAsync(60 * SYNC_MS);
      expect(syncs()).toBe(at + 1);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('a record that is written during a sync is synced after it', async () => {
    const ends: (() => void)[] = [];
    const { journal, syncs } = await journalWith(() => new Promise((resolve) => ends.push(resolve)));
    await journal.close(record('r1'));
    await vi.advanceTimersByTimeAsync(SYNC_MS);
    await journal.close(record('r2'));
    await vi.advanceTimersByTimeAsync(10 * SYNC_MS);
    expect(syncs()).toBe(1);
    ends.shift()?.();
    await vi.advanceTimersByTimeAsync(SYNC_MS);
    expect(syncs()).toBe(2);
    ends.shift()?.();
    await vi.advanceTimersByTimeAsync(10 * SYNC_MS);
    expect(syncs()).toBe(2);
    const ended = journal.shutdown();
    ends.shift()?.();
    await ended;
  });

  it('one that fails is tried until it succeeds, and told once', async () => {
    let works = false;
    const { journal, log, syncs } = await journalWith(() =>
      works ? Promise.resolve() : Promise.reject(new Error('input/output error')),
    );
    await journal.close(record('r1'));
    await vi.advanceTimersByTimeAsync(3 * SYNC_MS);
    expect(syncs()).toBe(3);
    works = true;
    await vi.advanceTimersByTimeAsync(10 * SYNC_MS);
    expect(syncs()).toBe(4);
    expect(vi.getTimerCount()).toBe(0);
    expect(log.errors).toEqual(['the journal cannot sync']);
  });

  it('a full file whose sync fails stays open and is tried with the next one, until it succeeds', async () => {
    const tried: number[] = [];
    const closed: number[] = [];
    const disk = { works: false };
    const create: typeof createSegment = (path, number) => {
      const segment = createSegment(path, number);
      return {
        ...segment,
        sync: () => {
          tried.push(number);
          return disk.works || number > 1 ? Promise.resolve() : Promise.reject(new Error('input/output error'));
        },
        close: () => {
          closed.push(number);
          segment.close();
        },
      };
    };
    const log = testLog();
    const options = { createSegment: create, syncIntervalMs: SYNC_MS, segmentBytes: 1, log };
    const journal = await folder.open(folder.path, options);
    await journal.close(record('r1'));
    await vi.advanceTimersByTimeAsync(3 * SYNC_MS);
    expect(tried.filter((number) => number === 1)).toHaveLength(4);
    expect(closed).toEqual([]);
    disk.works = true;
    await vi.advanceTimersByTimeAsync(10 * SYNC_MS);
    expect(tried.filter((number) => number === 1)).toHaveLength(5);
    expect(closed).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
    expect(log.errors).toEqual(['the journal cannot sync']);
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
      journal.open(startRecord('r1')).then(() => acknowledged.push('opened')),
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

  it('acknowledges again once a full file that could not be synced is on disk', async () => {
    const disk = { works: false };
    const create: typeof createSegment = (path, number) => {
      const segment = createSegment(path, number);
      const sync = () => (disk.works ? segment.sync() : Promise.reject(new Error('input/output error')));
      // Only the first file is full.
      return { ...segment, sync, size: () => (number === 1 ? segment.size() : 0) };
    };
    const options = { createSegment: create, syncIntervalMs: 0, segmentBytes: 1, log: testLog() };
    const journal = await folder.open(folder.path, options);
    await expect(journal.close(record('r1'))).rejects.toThrow(JournalUnavailable);
    disk.works = true;
    await journal.close(record('r2'));
    await journal.close(record('r3'));
    expect(takePosted(journal)).toEqual(['r1', 'r2', 'r3']);
  });

  it('a full file that cannot be synced is no longer waited for once the database has all of it', async () => {
    const closed: number[] = [];
    const create: typeof createSegment = (path, number) => {
      const segment = createSegment(path, number);
      return {
        ...segment,
        sync: () => (number === 1 ? Promise.reject(new Error('input/output error')) : segment.sync()),
        // Only the first file is full.
        size: () => (number === 1 ? segment.size() : 0),
        close: () => {
          closed.push(number);
          segment.close();
        },
      };
    };
    const options = { createSegment: create, syncIntervalMs: 0, segmentBytes: 1, log: testLog() };
    const journal = await folder.open(folder.path, options);
    await expect(journal.close(record('r1'))).rejects.toThrow(JournalUnavailable);
    await expect(journal.close(record('r2'))).rejects.toThrow(JournalUnavailable);
    expect(takePosted(journal)).toEqual(['r1', 'r2']);
    await journal.close(record('r3'));
    expect(closed).toEqual([1]);
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
    await journal.open(startRecord('r1'));
    clock.advance(5_000);
    await journal.open(startRecord('r2'));
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
      await journal.open(startRecord(id));
      clock.advance(1_000);
    }
    for (const id of ['a', 'd', 'f']) await journal.close(record(id));
    const announced = (limit: number) => journal.longRunning(1_500, limit).map((found) => found.id);
    expect(announced(2)).toEqual(['b', 'c']);
    await journal.open(startRecord('g'));
    expect(announced(9)).toEqual(['e']);
    await Promise.all(['b', 'c', 'e', 'g'].map((id) => journal.close(record(id))));
    clock.advance(9_000);
    expect(announced(9)).toEqual([]);
    await journal.open(startRecord('h'));
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
