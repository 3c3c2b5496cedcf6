/** The nginx of deploy/nginx before processes of a test, with a certificate made for the occasion. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { programMissing, programPath } from './programs.ts';
import { type FrontProxy, startedProxy } from './proxy.ts';

const SITE = fileURLToPath(new URL('../../../deploy/nginx/dargah.conf', import.meta.url));
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export function nginxMissing(): boolean {
  return [programMissing('nginx'), programMissing('openssl')].includes(true);
}

/** Before two processes, by their addresses, as the file has them. */
export async function startNginx([first, second]: readonly [string, string]): Promise<FrontProxy> {
  const place = await mkdtemp(join(tmpdir(), 'dargah-nginx-'));
  const port = await freePort();
  const subject = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=x'];
  const files = ['-keyout', join(place, 'privkey.pem'), '-out', join(place, 'fullchain.pem')];
  execFileSync(programPath('openssl') ?? '', [...subject, ...files], { stdio: 'pipe' });
  const site = (await readFile(SITE, 'utf8'))
    .replaceAll('/etc/ssl/dargah/', `${place}/`)
    .replaceAll('/var/log/nginx/', `${place}/`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('127.0.0.1:8081', first)
    .replace('127.0.0.1:8082', second);
  const folders = TEMPORARY.map((name) => `${name}_temp_path ${place}/${name};`).join(' ');
  const config = join(place, 'nginx.conf');
  const common = `daemon off; master_process off; pid ${place}/pid; error_log stderr; events {}`;
  await writeFile(config, `${common}\nhttp { access_log off; ${folders}\n${site}\n}`);
  const child = spawn(programPath('nginx') ?? '', ['-c', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  return startedProxy(child, { origin: `https://127.0.0.1:${port}`, place });
}
