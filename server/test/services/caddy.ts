/** The Caddy of deploy/caddy before processes of a test, without TLS. It finds them by name, as it finds containers. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { startNameServer } from './name-server.ts';
import { programPath } from './programs.ts';
import { type FrontProxy, startedProxy } from './proxy.ts';

const SITE = fileURLToPath(new URL('../../../deploy/caddy/Caddyfile', import.meta.url));
const ADDRESS = '{$DARGAH_DOMAIN:localhost} {';
const GATEWAYS = '{$DARGAH_GATEWAY:gateway}:8080';
const TRANSPORT = 'transport http {';
/** The options of all sites. */
const OPTIONS = '\n{\n';

/** Before processes by their addresses, which have one port. */
export async function startCaddy(addresses: readonly string[]): Promise<FrontProxy> {
  const place = await mkdtemp(join(tmpdir(), 'dargah-caddy-'));
  const port = await freePort();
  const names = await startNameServer(addresses.map((address) => address.split(':')[0] ?? ''));
  const shipped = await readFile(SITE, 'utf8');
  for (const part of [ADDRESS, GATEWAYS, TRANSPORT, OPTIONS])
    if (!shipped.includes(part)) throw new Error(`the shipped Caddyfile has no ${part}`);
  const site = shipped
    .replace(ADDRESS, `http://127.0.0.1:${port} {`)
    .replace(GATEWAYS, `gateway.test:${addresses[0]?.split(':')[1]}`)
    .replace(TRANSPORT, `${TRANSPORT}\n\t\t\tresolvers udp/127.0.0.1:${names.port}`);
  const config = join(place, 'Caddyfile');
  await writeFile(config, site.replace(OPTIONS, `${OPTIONS}\tadmin off\n\tauto_https off\n`));
  const child = spawn(programPath('caddy') ?? '', ['run', '--adapter', 'caddyfile', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: place, XDG_DATA_HOME: place, XDG_CONFIG_HOME: place },
  });
  const proxy = await startedProxy(child, { origin: `http://127.0.0.1:${port}`, place });
  return {
    ...proxy,
    async stop() {
      await proxy.stop();
      names.close();
    },
  };
}
