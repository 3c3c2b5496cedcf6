/**
 * @tier services
 * The build keeps machine code of the embedded database's engine, and a server as `npm start` runs it takes it.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEngineCode } from '../../src/platform/db/engine-code.ts';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { makeHome, postChat } from './server-process.ts';

const run = promisify(execFile);
const binaries = fileURLToPath(new URL('../../bin', import.meta.url));
/** What start.mjs does before it reads the server's code. */
const LACKS = `
  const { prepareStart } = await import('${binaries}/v8-profile.mjs');
  prepareStart();
  const { beginThread, lacksEngineCode } = await import('${binaries}/../dist/begun-thread.js');
  await beginThread();
  console.log(lacksEngineCode());
`;

function flagsOfStart(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return scripts.start.split(' ').filter((word: string) => word.startsWith('--'));
}

const lacks = async (flags: string[]) =>
  (await run(process.execPath, [...flags, '--input-type=module', '--eval', LACKS])).stdout.trim();

const KEY = 'dg-test-main';

let vendor: FakeVendor;
beforeAll(async () => {
  vendor = await startFakeVendor();
  await run(process.execPath, [`${binaries}/build.mjs`]);
});
afterAll(() => vendor.close());

describe.skipIf(!hasEngineCode)('kept code of the engine', () => {
  it('is made by the build, and taken by a server with the same flags', { timeout: 300_000 }, async () => {
    const { stderr } = await run(process.execPath, [`${binaries}/build-engine-code.mjs`]);
    expect(stderr).toBe('');
    expect(await lacks(flagsOfStart())).toBe('false');
    expect(await lacks(['--stack-size=900'])).toBe('true');
  });

  it('answers with it, also from the files of the start before', { timeout: 300_000 }, async () => {
    const home = await makeHome();
    const env = { DARGAH_CONFIG: await home.writeConfig(defaultConfig(vendor)) };
    const messages = [{ role: 'user', content: 'hello' }];
    for (let start = 0; start < 2; start++) {
      const server = await home.start({ env, throughNpm: true });
      expect((await postChat(server.origin, KEY, { messages })).status).toBe(200);
      // Its library is loaded now; a script cannot import, so it is given what can (bin/compiled-code.mjs).
      expect((await fetch(`${server.origin}/api/console/sign-in/passkey/options`, { method: 'POST' })).status).toBe(
        200,
      );
      expect(await server.stop()).toBe(0);
    }
    await home.remove();
  });
});
