/** What a request costs must not grow unnoticed: processor time against a bare proxy in one run, so that slow machines pass too. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parseTrustedJson } from '../../src/core/json.ts';

const guard = fileURLToPath(new URL('../../../bench/guard.mjs', import.meta.url));
/** 1.8 to 1.9 on a quiet machine (docs/benchmarks.md). */
const MAX = 3.0;

it.skipIf(!existsSync('/proc/self/stat'))(
  `a small chat request costs less than ${MAX} times that of a bare proxy`,
  async () => {
    // The bound is that of the gateway as it comes, also when the suite runs on Node's own reader and client.
    const { DARGAH_LANE: _lane, DARGAH_UPSTREAM_CLIENT: _client, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, [guard, String(MAX)], { timeout: 560_000, env });
    const found = parseTrustedJson(stdout.trim().split('\n').at(-1) ?? '') as { ratio: number };
    expect(found.ratio).toBeGreaterThan(0.5);
    expect(found.ratio).toBeLessThan(MAX);
  },
  600_000,
);
