/** A name with an IPv6 address that swallows every packet, and an IPv4 address that answers: the second is used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openDirect } from '../../packages/http-client/src/destination.ts';

/** Listens on ::1, tells its port and stops: once its queue is full, the kernel drops whoever knocks. */
const FROZEN = `
  const server = require('node:net').createServer();
  server.listen({ host: '::1', port: Number(process.argv[1]), backlog: 1 }, () => {
    process.stdout.write('ready');
    process.kill(process.pid, 'SIGSTOP');
  });
`;

/** Connections until one gets no answer. */
async function fillQueue(port: number, knocking: Socket[]): Promise<void> {
  for (let waiting = 0; waiting < 8; waiting++) {
    const socket = net.connect({ host: '::1', port });
    socket.on('error', () => undefined);
    knocking.push(socket);
    const answered = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 3_000)),
    ]);
    if (!answered) return;
  }
  throw new Error('the queue of the frozen server does not fill');
}

it('reaches a provider by IPv4 when its IPv6 address is a black hole', async () => {
  const answering = net.createServer((socket) => socket.end('by IPv4')).listen(0, '127.0.0.1');
  await once(answering, 'listening');
  const { port } = answering.address() as AddressInfo;
  const frozen = spawn(process.execPath, ['-e', FROZEN, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const knocking: Socket[] = [];
  try {
    await once(frozen.stdout, 'data');
    await fillQueue(port, knocking);
    const socket = openDirect(
      {
        secure: false,
        host: `vendor.test:${port}`,
        hostname: 'vendor.test',
        port,
        lookup: (_name, _options, done) =>
          done(null, [
            { address: '::1', family: 6 },
            { address: '127.0.0.1', family: 4 },
          ]),
      },
      {},
    );
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toBe('by IPv4');
    expect(socket.remoteAddress ?? '127.0.0.1').toBe('127.0.0.1');
    socket.destroy();
  } finally {
    for (const socket of knocking) socket.destroy();
    frozen.kill('SIGKILL');
    answering.close();
  }
});
