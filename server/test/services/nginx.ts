/** The nginx of deploy/nginx before processes of a test, with a certificate made for the occasion. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { programMissing, programPath } from './programs.ts';

const SITE = fileURLToPath(new URL('../../../deploy/nginx/dargah.conf', import.meta.url));
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export interface Nginx {
  /** Over connections that are kept, as clients do. Resolves when the answer has ended. */
  post(path: string, body: string, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
  /** What it complained of. */
  said(): string;
  stop(): Promise<void>;
}

export function nginxMissing(): boolean {
  return [programMissing('nginx'), programMissing('openssl')].includes(true);
}

/** Before two processes, by their ports, as the file has them. */
export async function startNginx([first, second]: [number, number]): Promise<Nginx> {
  const place = await mkdtemp(join(tmpdir(), 'dargah-nginx-'));
  const port = await freePort();
  const subject = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=x'];
  const files = ['-keyout', join(place, 'privkey.pem'), '-out', join(place, 'fullchain.pem')];
  execFileSync(programPath('openssl') ?? '', [...subject, ...files], { stdio: 'pipe' });
  const site = (await readFile(SITE, 'utf8'))
    .replaceAll('/etc/ssl/dargah/', `${place}/`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('127.0.0.1:8081', `127.0.0.1:${first}`)
    .replace('127.0.0.1:8082', `127.0.0.1:${second}`);
  const folders = TEMPORARY.map((name) => `${name}_temp_path ${place}/${name};`).join(' ');
  const config = join(place, 'nginx.conf');
  const common = `daemon off; master_process off; pid ${place}/pid; error_log stderr; events {}`;
  await writeFile(config, `${common}\nhttp { access_log off; ${folders}\n${site}\n}`);
  const child = spawn(programPath('nginx') ?? '', ['-c', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece) => {
    said += piece;
  });
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true });
  const nginx: Nginx = {
    async post(path, body, headers = {}) {
      const call = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers });
      call.end(body);
      const [reply] = await once(call, 'response');
      let text = '';
      for await (const piece of reply.setEncoding('utf8')) text += piece;
      return { status: reply.statusCode, text };
    },
    said: () => said,
    async stop() {
      agent.destroy();
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(place, { recursive: true, force: true });
    },
  };
  await eventually(() => nginx.post('/', '').catch(() => Promise.reject(new Error(`nginx does not listen: ${said}`))));
  return nginx;
}
