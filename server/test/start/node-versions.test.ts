/** The gateway on every version of Node that we support, newest of each line, and on the oldest one of all. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { nodeFolder, nodeMissing } from '../services/nodes.ts';
import { type Home, makeHome, postChat, type ServerProcess } from './server-process.ts';

const OLDEST = '20.18.0';
const VERSIONS = [OLDEST, '20', '22', '24', '26'];
const TIMEOUT_MS = 240_000;
const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const pathWith = (version: string) => `${nodeFolder(version)}:${process.env['PATH'] ?? ''}`;

let vendor: FakeVendor;
let manifests: string;
beforeAll(async () => {
  vendor = await startFakeVendor();
  manifests = await mkdtemp(join(tmpdir(), 'dargah-manifests-'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'server/package.json', 'web/package.json']) {
    await mkdir(dirname(join(manifests, name)), { recursive: true });
    await cp(join(root, name), join(manifests, name));
  }
});
afterAll(async () => {
  await vendor.close();
  await rm(manifests, { recursive: true, force: true });
});

/** What `npm ci` complains about; it goes all the way up to writing files. */
async function complaints(version: string, ...more: string[]): Promise<string[]> {
  const words = ['ci', '--dry-run', '--no-audit', '--no-fund', ...more];
  const { stderr } = await execute('npm', words, {
    cwd: manifests,
    env: { ...process.env, PATH: pathWith(version) },
    maxBuffer: 1 << 24,
  });
  // What npm thinks of the machine's own configuration is not about us.
  return stderr
    .split('\n')
    .filter((line) => /^npm (warn|error)/i.test(line) && !/Unknown (user|env|global|builtin) config/.test(line));
}

async function endWell(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM');
  await server.ended;
  expect(server.output()).toContain('SIGTERM: no new requests');
  expect(server.output()).not.toMatch(/warning|deprecat/i);
}

it('is asked for by no package that was given up', async () => {
  expect(await readFile(join(root, 'package-lock.json'), 'utf8')).not.toContain('"deprecated":');
});

describe.each(VERSIONS)('on Node %s', (version) => {
  describe.skipIf(nodeMissing(version))('the gateway', () => {
    let home: Home;
    beforeAll(async () => {
      home = await makeHome();
    });
    afterAll(() => home?.remove());

    it(
      'is installed without a warning',
      async () => {
        expect(await complaints(version, '--omit=dev')).toEqual([]);
        // The tools of developers want a newer 20 than the gateway does.
        if (version !== OLDEST) expect(await complaints(version)).toEqual([]);
      },
      TIMEOUT_MS,
    );

    it(
      'starts, answers at once and as a stream, shows its console, and stops',
      async () => {
        const env = { PATH: pathWith(version), DARGAH_CONFIG: await home.writeConfig(defaultConfig(vendor)) };
        const server = await home.start({ env, throughNpm: true });
        const messages = [{ role: 'user', content: 'hello' }];
        const whole = await postChat(server.origin, 'dg-test-main', { messages });
        expect([whole.status, await whole.json()]).toMatchObject([200, { object: 'chat.completion' }]);
        const streamed = await postChat(server.origin, 'dg-test-main', { messages, stream: true });
        expect(await streamed.text()).toContain('data: [DONE]');
        const page = await (await fetch(`${server.origin}/console`)).text();
        const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
        expect((await fetch(new URL(script, `${server.origin}/console`))).headers.get('content-type')).toMatch(
          /javascript/,
        );
        await endWell(server);
      },
      TIMEOUT_MS,
    );

    it(
      'starts from the code that the start before has kept, and loads what is needed late',
      async () => {
        const env = { PATH: pathWith(version), DARGAH_CONFIG: await home.writeConfig(defaultConfig(vendor)) };
        const server = await home.start({ env, throughNpm: true });
        const kept = await readdir(join(root, 'server/dist/.compiled'));
        expect(kept.some((name) => name.startsWith(`main-v${version}`))).toBe(true);
        const messages = [{ role: 'user', content: 'hello' }];
        expect((await postChat(server.origin, 'dg-test-main', { messages })).status).toBe(200);
        const passkeys = await fetch(`${server.origin}/api/console/sign-in/passkey/options`, { method: 'POST' });
        expect(passkeys.status).toBe(200);
        await endWell(server);
      },
      TIMEOUT_MS,
    );

    it('makes and checks codes of the second factor', async () => {
      const program = `
        import { generateSecret, generateSync, verifySync } from 'otplib';
        const secret = generateSecret();
        console.log(process.version, verifySync({ secret, token: generateSync({ secret }) }).valid);`;
      const words = ['--input-type=module', '--eval', program];
      const { stdout } = await execute(join(nodeFolder(version), 'node'), words, { cwd: join(root, 'server') });
      expect(stdout).toMatch(new RegExp(`^v${version}\\..* true\\n$|^v${version} true\\n$`));
    });
  });
});
