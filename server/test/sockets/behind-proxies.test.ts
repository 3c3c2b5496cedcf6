/** WebSockets behind the shipped proxies: the handshake passes, events come as they are made, and no log has the key. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { startCaddy } from '../services/caddy.ts';
import { nginxMissing, startNginx } from '../services/nginx.ts';
import { programMissing } from '../services/programs.ts';
import type { FrontProxy } from '../services/proxy.ts';
import { openSocket } from './spoken-socket.ts';

let gateway: TestGateway;
let address: string;

beforeAll(async () => {
  gateway = await startGateway();
  address = new URL(gateway.origin).host;
});
afterAll(() => gateway.stop());

const PROXIES: [string, boolean, () => Promise<FrontProxy>][] = [
  ['nginx', nginxMissing(), () => startNginx([address, address])],
  ['caddy', programMissing('caddy'), () => startCaddy([address, address])],
];

describe.each(PROXIES)('behind %s', (_name, missing, start) => {
  it.skipIf(missing)('a socket is opened by a browser and answers', async () => {
    const proxy = await start();
    try {
      gateway.vendor.next(answer({ text: 'through the proxy' }));
      const protocols = ['realtime', `openai-insecure-api-key.${gateway.key}`];
      const socket = await openSocket(`${proxy.origin}/api/v1/responses`, { protocols, insecure: true });
      const done = await socket.turn({ type: 'response.create', model: 'mock/chat', input: 'x' });
      expect(done).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
      socket.socket.close();
      await socket.closed;
      expect(proxy.said()).not.toContain(gateway.key);
      for (const file of await readdir(proxy.place))
        if (file.endsWith('.log')) expect(await readFile(join(proxy.place, file), 'utf8')).not.toContain(gateway.key);
    } finally {
      await proxy.stop();
    }
  });
});
