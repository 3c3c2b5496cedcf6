/** The image's own steps, in a clean folder and environment: they build, and what they build runs on a read-only root. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome, postChat } from '../start/server-process.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const execute = promisify(execFile);
/** Of this machine's environment only what finds programs and npm's settings, and whom it trusts: its registry may have a certificate of its own. */
const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS } = process.env;
const clean = { PATH, HOME, ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }) };

let place: string;
let release: string;

/** The `RUN` lines of the build stage, with the image's folders replaced by ours. */
async function buildSteps(): Promise<string[]> {
  const lines = (await readFile(join(root, 'Dockerfile'), 'utf8')).split('\n');
  const from = lines.findIndex((line) => line.endsWith('AS build'));
  const to = lines.findIndex((line, at) => at > from && line.startsWith('FROM '));
  const steps = lines.slice(from, to).filter((line) => line.startsWith('RUN '));
  return steps.map((line) => line.slice('RUN '.length).replace(/ \/release$/, ` ${release}`));
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'dargah-image-'));
  release = join(place, 'release');
  const { stdout } = await execute('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root });
  // The guide of the customers is a page of the server, and its client is the playground’s own: both are part of what is built.
  const ignored = /^(\.ci|bench|docs(?!\/(?:customers|whats-new|samples\/))|server\/test|web\/test)\//;
  for (const name of stdout.split('\0').filter((one) => one !== '' && !ignored.test(one))) {
    const target = join(place, 'src', name);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(root, name), target).catch(() => undefined);
  }
  for (const step of await buildSteps())
    await execute('sh', ['-c', step], { cwd: join(place, 'src'), env: clean, maxBuffer: 1 << 26 });
}, 300_000);
afterAll(async () => {
  await execute('chmod', ['-R', 'u+w', place]);
  await rm(place, { recursive: true, force: true });
});

const RELEASED = 'server/migrations/released.json';

/** The copy as it is right before its release, whatever stands in the changelog of this checkout. */
async function aboutToBeReleased(folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { [version]: _own, ...before } = JSON.parse(await readFile(join(folder, RELEASED), 'utf8'));
  await writeFile(join(folder, RELEASED), JSON.stringify(before));
  await writeFile(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## ${version} (2026-11-17)\n\n- Everything.\n`);
  return version;
}

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('what the image is built from', () => {
  it('is small: with Debian’s base (75 MB), Node (109 MB) and three packages (8 MB) it stays below 250 MB', async () => {
    expect((await bytesOf(release)) / 1e6).toBeLessThan(250 - 75 - 109 - 8);
  });

  it('has its licences and a list of its parts', async () => {
    const parts = JSON.parse(await readFile(join(release, 'sbom.cdx.json'), 'utf8'));
    expect(parts).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(parts.components.length).toBeGreaterThan(20);
    const licences = await readFile(join(release, 'LICENCES.txt'), 'utf8');
    for (const { name, version } of parts.components) expect(licences).toContain(`${name} ${version}`);
  });

  it('starts without a builder, on files it cannot write, with its secrets in a file, and answers', async () => {
    await execute('chmod', ['-R', 'a-w', release]);
    const home = await makeHome();
    const script = join(release, 'server/bin/start.mjs');
    const server = await home.start({
      script,
      cwd: release,
      env: { NODE_ENV: 'production', DARGAH_FIRST_CREDIT: '1000', DARGAH_SANDBOX: 'models' },
    });
    expect(server.output()).not.toMatch(/dg-[A-Za-z0-9]{20}/);
    const secrets = join(home.dataDir, 'first-secrets.txt');
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    const key = /API key +(\S+)/.exec(await readFile(secrets, 'utf8'))?.[1] ?? '';
    const chat = await postChat(server.origin, key, {
      model: 'sandbox/echo',
      messages: [{ role: 'user', content: 'سلام' }],
    });
    expect(chat.status).toBe(200);
    const health = await execute(process.execPath, [join(release, 'server/bin/health.mjs')], {
      env: { PATH, PORT: new URL(server.origin).port },
    });
    expect(health.stderr).toBe('');
    expect((await fetch(`${server.origin}/console`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    await home.remove();
  }, 120_000);

  it('is also one archive, which npx runs without a registry', async () => {
    const version = await aboutToBeReleased(join(place, 'src'));
    await execute(process.execPath, ['tools/release.mjs'], { cwd: join(place, 'src'), env: clean });
    const noted = await readFile(join(place, 'src', RELEASED), 'utf8');
    expect(Object.keys(JSON.parse(noted))).toContain(version);
    const folder = join(place, 'src', 'release');
    const name = (await readdir(folder)).find((file) => /^dargah-.*\.tgz$/.test(file)) ?? '';
    const { stdout } = await execute('npx', ['--offline', '--yes', `file:${join(folder, name)}`, '--help'], {
      cwd: place,
      env: { PATH, HOME, npm_config_cache: join(place, 'npm-cache') },
    });
    expect(stdout).toContain('npm run dargah -- <noun> <verb>');
  }, 240_000);
});
