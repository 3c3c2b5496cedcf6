/** Processes that share a volume: each gets a data directory of its own, and a dead one's is taken again. @tier gateway */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeDataSlot } from '../../src/platform/data-slot.ts';

let volume: string;
beforeAll(async () => {
  volume = await mkdtemp(join(tmpdir(), 'dargah-slots-'));
});
afterAll(() => rm(volume, { recursive: true, force: true }));

describe('a data directory per process', () => {
  it('gives each process the first free slot, and a released one again', async () => {
    const pattern = join(volume, 'in-turn', '{slot}');
    const first = await takeDataSlot(pattern);
    const second = await takeDataSlot(pattern);
    expect([first.dataDir, second.dataDir]).toEqual([join(volume, 'in-turn/1'), join(volume, 'in-turn/2')]);
    await first.release();
    const third = await takeDataSlot(pattern);
    expect(third.dataDir).toBe(join(volume, 'in-turn/1'));
    await Promise.all([second.release(), third.release()]);
  });

  it('takes the slot of a process that was killed', async () => {
    const pattern = join(volume, 'killed', '{slot}');
    const kept = await takeDataSlot(pattern);
    const socket = join(volume, 'killed', '2', 'slot.sock');
    const script = `require('fs').mkdirSync(${JSON.stringify(join(volume, 'killed', '2'))}, { recursive: true });
      require('net').createServer().listen(${JSON.stringify(socket)}, () => console.log('held'))`;
    const other = spawn(process.execPath, ['-e', script]);
    await once(other.stdout, 'data');
    const beside = await takeDataSlot(pattern);
    expect(beside.dataDir).toBe(join(volume, 'killed', '3'));
    other.kill('SIGKILL');
    await once(other, 'exit');
    // The dead owner's socket file is still there; nobody listens on it.
    expect(await readdir(join(volume, 'killed', '2'))).toContain('slot.sock');
    const taken = await takeDataSlot(pattern);
    expect(taken.dataDir).toBe(join(volume, 'killed', '2'));
    await Promise.all([kept, beside, taken].map((slot) => slot.release()));
  });

  it('never gives one slot to two, however many come at once', async () => {
    const pattern = join(volume, 'at-once', '{slot}');
    const slots = await Promise.all(Array.from({ length: 24 }, () => takeDataSlot(pattern)));
    expect(new Set(slots.map(({ dataDir }) => dataDir)).size).toBe(24);
    await Promise.all(slots.map((slot) => slot.release()));
  });
});
