/** A model endpoint is reached without the web framework when the request is plain, and through it otherwise: nobody may notice. */
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const BODY = JSON.stringify({ model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }] });
const PLAIN = '/chat/completions';
const ODD = ['/chat/completions/', '/chat/completions?beta=true'];

function post(path: string, body: string | ReadableStream): Promise<Response> {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  // A body whose length is not known beforehand is sent in chunks.
  const duplex = typeof body === 'string' ? {} : { duplex: 'half' };
  return fetch(gateway.baseUrl + path, { method: 'POST', headers, body, ...duplex } as RequestInit);
}

const inChunks = (text: string) => new Blob([text]).stream();

async function shapeOf(response: Response) {
  const { choices, error } = (await response.json()) as { choices?: unknown; error?: { code?: string } };
  const names = [...response.headers.keys()].filter((name) => name.startsWith('x-')).sort();
  return { status: response.status, names, choices, code: error?.code };
}

describe('the plain way and the ordinary way', () => {
  it.each(ODD)('%s is answered like the plain address', async (path) => {
    expect(await shapeOf(await post(path, BODY))).toEqual(await shapeOf(await post(PLAIN, BODY)));
  });

  it('a body in chunks is answered like one of known length', async () => {
    expect(await shapeOf(await post(PLAIN, inChunks(BODY)))).toEqual(await shapeOf(await post(PLAIN, BODY)));
  });

  it.each(['', '{', '[]'])('the body %j is refused alike', async (body) => {
    const plain = await shapeOf(await post(PLAIN, body));
    expect(plain).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await shapeOf(await post(ODD[0] as string, body))).toEqual(plain);
  });

  it('another method finds nothing', async () => {
    const response = await fetch(gateway.baseUrl + PLAIN, { headers: { authorization: `Bearer ${gateway.key}` } });
    expect(response.status).toBe(404);
  });

  it('a sender that breaks off in the middle of its body leaves nothing behind', async () => {
    const { port, hostname } = new URL(gateway.baseUrl);
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /api/v1${PLAIN} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY.slice(0, 20)}`,
          () => socket.destroy(),
        );
      });
      socket.once('close', () => resolve());
      socket.once('error', reject);
    });
    expect((await post(PLAIN, BODY)).status).toBe(200);
    expect(gateway.vendor.requests).toHaveLength(1);
  });
});
