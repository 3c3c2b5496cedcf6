/** One process at a time opens a data directory. @tier gateway */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lockDataDirectory, lockFreeDirectory } from '../../../src/platform/db/data-lock.ts';
import { eventually } from '../../services/eventually.ts';

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dargah-lock-'));
  path = join(folder, 'database.lock');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As the system tells it; empty where it does not, and then the pid alone decides. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

it('is held by one, until released', async () => {
  const release = await lockDataDirectory(path);
  expect(await readFile(path, 'utf8')).toBe(`${process.pid} ${startOf(process.pid)}\n`);
  await expect(lockDataDirectory(path)).rejects.toThrow(`process ${process.pid}`);
  await release();
  expect(await readdir(folder)).toEqual([]);
  await (await lockDataDirectory(path))();
});

it('that a start took before it read its code is kept, and released once', async () => {
  expect(lockFreeDirectory(path)).toBe(true);
  expect(lockFreeDirectory(path)).toBe(false);
  const content = await readFile(path, 'utf8');
  const release = await lockDataDirectory(path);
  expect(await readFile(path, 'utf8')).toBe(content);
  await release();
  expect(await readdir(folder)).toEqual([]);
});

it.each([
  ['a living process', `${process.ppid} ${startOf(process.ppid)}\n`],
  ['a dead process', '2147483646 1\n'],
])('of %s is left to the start itself', async (_owner, content) => {
  await writeFile(path, content);
  expect(lockFreeDirectory(path)).toBe(false);
  expect(await readFile(path, 'utf8')).toBe(content);
  await rm(path);
});

it('of a living process is refused, naming it, and left alone', async () => {
  const content = `${process.ppid} ${startOf(process.ppid)}\n`;
  await writeFile(path, content);
  await expect(lockDataDirectory(path, { timeoutMs: 0 })).rejects.toThrow(`process ${process.ppid}`);
  expect(await readFile(path, 'utf8')).toBe(content);
  await rm(path);
});

it.each([
  ['a dead process', '2147483646 1\n'],
  ['a dead namesake of this process, as in a restarted container', `${process.pid} 1\n`],
  ['nobody, torn by a crash', ''],
])('of %s is taken over', async (_owner, content) => {
  await writeFile(path, content);
  const release = await lockDataDirectory(path);
  expect(await readFile(path, 'utf8')).toMatch(new RegExp(`^${process.pid} `));
  await release();
  expect(await readdir(folder)).toEqual([]);
});

it.skipIf(startOf(process.ppid) === '')('of a process whose pid another one has now is taken over', async () => {
  await writeFile(path, `${process.ppid} 1\n`);
  await (await lockDataDirectory(path))();
});

/** A parent that never asks how its child ended. Prints the child's pid, then stays. */
async function zombie(): Promise<{ pid: number; end: () => void }> {
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(parent.stdout, 'data');
  return { pid: Number(line), end: () => void parent.kill('SIGKILL') };
}

it.skipIf(startOf(process.ppid) === '')('of a zombie is taken over at once', async () => {
  const { pid, end } = await zombie();
  try {
    await eventually(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '));
    await writeFile(path, `${pid} ${startOf(pid)}\n`);
    await (await lockDataDirectory(path, { timeoutMs: 0 }))();
  } finally {
    end();
  }
});

it('of a process that is about to end is waited for, and who waits is told', async () => {
  const owner = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(owner, 'spawn');
  const pid = owner.pid ?? 0;
  await writeFile(path, `${pid} ${startOf(pid)}\n`);
  const waitedFor: number[] = [];
  const onWait = (one: number) => {
    waitedFor.push(one);
    owner.kill('SIGTERM');
  };
  await (await lockDataDirectory(path, { onWait }))();
  expect(waitedFor).toEqual([pid]);
});

it('is won by exactly one of many who find a stale one', async () => {
  await writeFile(path, '2147483646 1\n');
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDirectory(path)));
  const winners = results.filter((result) => result.status === 'fulfilled');
  expect(winners).toHaveLength(1);
  await winners[0]?.value();
});
