/**
 * @tier gateway
 * Machine code of the embedded database's engine that was kept is run as the engine; code that is not its own never is.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { hasEngineCode } from '../../../src/platform/db/engine-code.ts';
import { bundleScript } from '../../services/bundled-script.ts';

const script = fileURLToPath(new URL('engine-code.script.ts', import.meta.url));
/** V8 keeps what its last compiler made; with these flags that is every function, and at once. */
const COMPILED_WELL = ['--no-liftoff', '--no-wasm-lazy-compilation'];

it.skipIf(!hasEngineCode)('takes kept code whole, of the same engine and under the same flags only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-code-'));
  const bundled = await bundleScript(script, [], COMPILED_WELL);
  const child = bundled.start(folder);
  const [report] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  await bundled.remove();
  await rm(folder, { recursive: true });
  expect(report.files).toBeGreaterThan(100);
  expect(report).toMatchObject({
    result: 5,
    flippedTaken: 0,
    cutTaken: 0,
    wholeTaken: 1,
    ofAnotherEngine: false,
    missing: false,
    underOtherFlags: false,
    knowsNativeCalls: false,
  });
});
