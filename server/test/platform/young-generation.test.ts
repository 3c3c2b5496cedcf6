/**
 * @tier gateway
 *
 * The engine itself, started with the flags of `npm start`: its room for new objects stays small while few requests run, also
 * after a thread has begun, and grows while many do.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { type BundledScript, bundleScript } from '../services/bundled-script.ts';

const MB = 2 ** 20;
const SCRIPT = fileURLToPath(new URL('./young-generation.script.ts', import.meta.url));
const scripts: BundledScript[] = [];

afterEach(async () => {
  for (const script of scripts.splice(0)) await script.remove();
});

function flagsOfStart(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return scripts.start.split(' ').filter((word: string) => word.startsWith('--'));
}

async function roomWith(flags: string[]): Promise<unknown> {
  const script = await bundleScript(SCRIPT, [], flags);
  scripts.push(script);
  const [room] = await once(script.start(), 'message');
  return room;
}

it('new objects get more room while many requests run, and only then', async () => {
  // Two halves of 4 MB each, and of 16.
  expect(await roomWith(flagsOfStart())).toEqual({ few: 8 * MB, besideThread: 8 * MB, many: 32 * MB });
});

it('without the sizes of npm start the engine decides alone', async () => {
  const room = await roomWith(['--max-semi-space-size=2']);
  expect(room).toEqual({ few: 4 * MB, besideThread: 4 * MB, many: 4 * MB });
});
