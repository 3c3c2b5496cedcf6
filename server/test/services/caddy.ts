/** The Caddy of deploy/caddy before processes of a test, without TLS. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { programPath } from './programs.ts';
import { type FrontProxy, startedProxy } from './proxy.ts';

const SITE = fileURLToPath(new URL('../../../deploy/caddy/Caddyfile', import.meta.url));
const ADDRESS = '{$DARGAH_DOMAIN:localhost} {';
/** The containers' names, which nothing here resolves. */
const FOUND_BY_NAME = /dynamic a [^\n]*\{[^}]*\}/;

/** Before processes by their ports. */
export async function startCaddy(ports: readonly number[]): Promise<FrontProxy> {
  const place = await mkdtemp(join(tmpdir(), 'dargah-caddy-'));
  const port = await freePort();
  const shipped = await readFile(SITE, 'utf8');
  if (!shipped.includes(ADDRESS) || !FOUND_BY_NAME.test(shipped)) throw new Error('the shipped Caddyfile has changed');
  const site = shipped
    .replace(ADDRESS, `http://127.0.0.1:${port} {`)
    .replace(FOUND_BY_NAME, `to ${ports.map((one) => `127.0.0.1:${one}`).join(' ')}`);
  const config = join(place, 'Caddyfile');
  await writeFile(config, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
  const child = spawn(programPath('caddy') ?? '', ['run', '--adapter', 'caddyfile', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: place, XDG_DATA_HOME: place, XDG_CONFIG_HOME: place },
  });
  return startedProxy(child, { origin: `http://127.0.0.1:${port}`, place });
}
