/** A server without containers: the unit, the number of processes, the operator's command and nginx, as install.md uses them. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../services/free-port.ts';
import { nginxMissing, startNginx } from '../services/nginx.ts';
import { programMissing, programPath } from '../services/programs.ts';
import type { FrontProxy } from '../services/proxy.ts';
import { makeHome } from '../start/server-process.ts';

const TIMEOUT_MS = 180_000;
const root = fileURLToPath(new URL('../../../', import.meta.url));
const deploy = (name: string) => join(root, 'deploy', name);
const text = (name: string) => readFile(deploy(name), 'utf8');

let place: string;
let path: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'dargah-bare-'));
  path = `${join(place, 'bin')}:${process.env['PATH'] ?? ''}`;
  await mkdir(join(place, 'bin'));
});
afterAll(() => rm(place, { recursive: true, force: true }));

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(place, 'bin', name), `#!/bin/sh\n${script}\n`);
  await chmod(join(place, 'bin', name), 0o755);
}

it.skipIf(programMissing('systemd-analyze'))('systemd takes the unit', async () => {
  await cp(deploy('systemd/dargah@.service'), join(place, 'dargah@1.service'));
  await cp(deploy('systemd/dargah.target'), join(place, 'dargah.target'));
  const words = ['verify', join(place, 'dargah@1.service')];
  const env = { ...process.env, SYSTEMD_UNIT_PATH: `${place}:` };
  expect(execFileSync(programPath('systemd-analyze') ?? '', words, { env, encoding: 'utf8' })).toBe('');
});

describe('scale', () => {
  const scale = async (count: string, units: number[]) => {
    const orders = join(place, 'orders');
    await writeFile(orders, '');
    const list = units.map((number) => `dargah@${number}.service loaded active running Dargah`).join('\\n');
    await program('systemctl', `case $1 in list-units) printf '${list}\\n' ;; *) echo "$*" >> '${orders}' ;; esac`);
    execFileSync(deploy('systemd/scale'), [count], { env: { PATH: path }, stdio: 'pipe' });
    return (await readFile(orders, 'utf8')).trim().split('\n');
  };

  it('starts what is missing and ends what is too much', async () => {
    expect(await scale('2', [1, 2, 3, 4])).toEqual([
      'enable dargah.target',
      'enable --now dargah@1',
      'enable --now dargah@2',
      'disable --now dargah@3.service',
      'disable --now dargah@4.service',
    ]);
  });

  it('refuses a number that would not be a port', async () => {
    for (const count of ['0', '10', 'two']) await expect(scale(count, [])).rejects.toThrow(/1 to 9/);
  });
});

it(
  'the command speaks to the process that runs, and leaves the directory of a stopped one alone',
  async () => {
    const home = await makeHome();
    try {
      const state = join(home.folder, 'state');
      await mkdir(state);
      const script = join(home.folder, 'dargah');
      await writeFile(script, (await text('systemd/dargah')).replaceAll('/var/lib/', `${state}/`), { mode: 0o755 });
      const file = join(home.folder, 'dargah.env');
      // Signs that a shell would take for its own.
      await writeFile(file, '# what every process reads\nDARGAH_OPERATOR_TOKEN=a-token&of|these;tests$HOME-123\n');
      const DARGAH_OPERATOR_TOKEN = 'a-token&of|these;tests$HOME-123';
      const env = { DARGAH_DATA_DIR: join(state, 'dargah/1'), DARGAH_OPERATOR_TOKEN };
      const server = await home.start({ env });
      const dargah = (...words: string[]) =>
        execFileSync(script, words, {
          env: { PATH: path, DARGAH_FOLDER: root, DARGAH_ENV_FILE: file },
          encoding: 'utf8',
          stdio: 'pipe',
        });
      await program('systemctl', 'exit 0');
      expect(dargah('audit', '--whole')).toContain('the books balance');
      await server.stop();
      await program('systemctl', 'exit 3');
      expect(() => dargah('audit')).toThrow(`there is no database in ${join(state, 'dargah-command')}`);
    } finally {
      await home.remove();
    }
  },
  TIMEOUT_MS,
);

describe.skipIf(nginxMissing())('nginx before two processes', () => {
  let nginx: FrontProxy;
  let gateway: Server;
  let seen: string[] = [];

  beforeAll(async () => {
    gateway = createServer((req, res) => {
      seen.push(`${req.method} ${req.url}`);
      req.resume().on('end', () => {
        // It has heard everything and dies before it answers.
        if (req.url === '/dies') req.socket.destroy();
        else res.end('answered');
      });
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const refusing = await freePort();
    nginx = await startNginx([`127.0.0.1:${refusing}`, `127.0.0.1:${(gateway.address() as AddressInfo).port}`]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await nginx?.stop();
    gateway?.closeAllConnections();
    gateway?.close();
  });

  const post = async (path: string) => (await nginx.post(path, '{"a":1}')).status;

  it('takes the next one when the first refuses connections, and every request arrives once', async () => {
    seen = [];
    for (let call = 0; call < 20; call++) expect(await post(`/${call}`), nginx.said()).toBe(200);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, call) => `POST /${call}`));
  });

  it('sends nothing again that a process may have begun', async () => {
    seen = [];
    expect(await post('/dies')).toBe(502);
    expect(seen).toEqual(['POST /dies']);
  });
});
