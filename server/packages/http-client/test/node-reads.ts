import { request } from 'node:http';
import { createServer } from 'node:net';

/** What Node's own client makes of these bytes, sent by a server that then closes. Undefined when it refuses them. */
export async function nodeReads(bytes: Buffer): Promise<{ status: number; body: string } | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    return await new Promise((resolve) => {
      const call = request({ port, host: '127.0.0.1', agent: false }, (reply) => {
        let body = '';
        reply.setEncoding('latin1');
        reply.on('data', (piece: string) => {
          body += piece;
        });
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
        reply.on('error', () => resolve(undefined));
      });
      call.on('error', () => resolve(undefined));
      call.end();
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
