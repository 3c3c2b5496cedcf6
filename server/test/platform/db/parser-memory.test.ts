/**
 * Node 24 needs 600 MB for a moment when it optimises the embedded database's parser. In a container that has less, start.mjs
 * keeps it from doing so (server/bin/v8-profile.mjs): tried with the engine and the flags themselves.
 */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../../bin/v8-profile.mjs';
import { temporaryDataDirectory } from '../../services/embedded-database.ts';
import { nodeFolder, nodeMissing } from '../../services/nodes.ts';

const SMALL_CONTAINER = 512 * 2 ** 20;
const server = fileURLToPath(new URL('../../..', import.meta.url));
/** So many statements make Node optimise the parser; the flags are set as start.mjs sets them. */
const PARSES_MUCH = `
  import { readFileSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  const [dataDir, ...flags] = process.argv.slice(1);
  for (const flag of flags) setFlagsFromString(flag);
  const { PGlite } = await import('@electric-sql/pglite');
  const db = await PGlite.create({ dataDir });
  for (let at = 0; at < 1500; at++)
    await db.query('select oid, relname from pg_class where oid = ' + at + ' or relkind = $1 order by 1 limit 1', ['r']);
  await db.close();
  // Not maxRSS, which counts the process that started this one.
  console.log(Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024);
`;

describe.skipIf(nodeMissing('24'))('on Node 24 in a small container', () => {
  it('the parser of the embedded database stays within it', { timeout: 240_000 }, async () => {
    const flags = profileOf('24.0.0', SMALL_CONTAINER);
    const dataDir = await temporaryDataDirectory();
    const words = ['--input-type=module', '--eval', PARSES_MUCH, '--', join(dataDir, 'database'), ...flags];
    const { stdout } = await promisify(execFile)(join(nodeFolder('24'), 'node'), words, { cwd: server });
    await rm(dataDir, { recursive: true, force: true });
    expect(Number(stdout)).toBeLessThan(SMALL_CONTAINER);
  });
});

it('only Node 24, and only a small container, goes without optimised code of the database', () => {
  const without = (version: string, bytes: number) => profileOf(version, bytes).includes('--no-wasm-tier-up');
  expect(without('24.21.0', SMALL_CONTAINER)).toBe(true);
  expect(without('24.21.0', 2 * 2 ** 30)).toBe(false);
  expect(without('24.21.0', Number.POSITIVE_INFINITY)).toBe(false);
  expect(without('20.18.0', SMALL_CONTAINER)).toBe(false);
});
