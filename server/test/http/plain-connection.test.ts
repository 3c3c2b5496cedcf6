/** Plain requests on raw sockets: bytes split anywhere, several requests on one connection, and the change to the ordinary way. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
const open = new Set<Socket>();
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await gateway.stop();
});
beforeEach(() => gateway.vendor.reset());

interface Client {
  socket: Socket;
  /** Waits until this many answers are complete and returns all of them. */
  answers(count: number): Promise<{ status: number; head: string; body: string }[]>;
  closed: Promise<void>;
}

function dial(): Promise<Client> {
  const { port, hostname } = new URL(gateway.baseUrl);
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    let wake = () => {};
    const socket = connect(Number(port), hostname, () => resolve({ socket, answers, closed }));
    open.add(socket);
    const closed = new Promise<void>((done) => {
      socket.once('close', () => {
        wake();
        done();
      });
    });
    socket.on('error', reject).on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      wake();
    });
    const answers: Client['answers'] = async (count) => {
      for (;;) {
        const all = takeApart(received);
        if (all.length >= count || socket.destroyed) return all;
        await new Promise<void>((again) => {
          wake = again;
        });
      }
    };
  });
}

/** Complete answers at the beginning of the bytes. */
function takeApart(bytes: Buffer): { status: number; head: string; body: string }[] {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const head = bytes.toString('latin1', at, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    const from = headEnd + 4;
    const end = Number.isNaN(length) ? bytes.indexOf('0\r\n\r\n', from) + 5 : from + length;
    if (end > bytes.length || end < from + 5) break;
    const body = bytes.subarray(from, end);
    found.push({
      status: Number(head.slice(9, 12)),
      head,
      body: Number.isNaN(length) ? withoutChunks(body) : body.toString(),
    });
    at = end;
  }
  return found;
}

function withoutChunks(body: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(pieces).toString();
    pieces.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

function request(body: object, extra: string[] = [], path = '/api/v1/chat/completions'): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Authorization: Bearer ${gateway.key}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    ...extra,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}

const HELLO = { model: 'mock/chat', messages: [{ role: 'user', content: 'سلام hello' }] };
const contentOf = (body: string) => JSON.parse(body).choices[0].message.content as string;

describe('one request', () => {
  it('is answered by head and body with ids, date and an open connection', async () => {
    const { socket, answers } = await dial();
    socket.write(request(HELLO));
    const [answer] = await answers(1);
    expect(answer?.status).toBe(200);
    expect(answer?.head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer?.head).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT(\r\n|$)/);
    expect(answer?.head).toContain('\r\nx-svc-request-id: req_');
    expect(answer?.head).toContain('\r\nConnection: keep-alive');
    expect(socket.destroyed).toBe(false);
  });

  it('may be split anywhere behind its head', async () => {
    const whole = request(HELLO);
    const headEnd = whole.indexOf('\r\n\r\n') + 4;
    for (const at of [headEnd, headEnd + 1, whole.length - 1]) {
      const { socket, answers } = await dial();
      socket.setNoDelay(true);
      socket.write(whole.subarray(0, at));
      await new Promise((resolve) => setImmediate(resolve));
      socket.write(whole.subarray(at));
      expect((await answers(1))[0]?.status).toBe(200);
    }
  });

  it('may come byte by byte, head and all', async () => {
    const { socket, answers } = await dial();
    socket.setNoDelay(true);
    for (const byte of request(HELLO)) socket.write(Buffer.of(byte));
    expect((await answers(1))[0]?.status).toBe(200);
  });

  it('with an error gets the error, and the connection stays', async () => {
    const { socket, answers } = await dial();
    socket.write(request({ model: 'no/such' }));
    expect((await answers(1))[0]?.status).toBe(400);
    socket.write(request(HELLO));
    expect((await answers(2))[1]?.status).toBe(200);
  });

  it('a stream comes in chunks, Persian text whole', async () => {
    gateway.vendor.reset();
    const { socket, answers } = await dial();
    socket.write(request({ ...HELLO, stream: true }));
    const [answer] = await answers(1);
    expect(answer?.head).toContain('\r\nTransfer-Encoding: chunked');
    expect(answer?.body).toContain('data: [DONE]');
    const whole = await dial();
    whole.socket.write(request(HELLO));
    const said = contentOf((await whole.answers(1))[0]?.body ?? '');
    const streamed = (answer?.body ?? '')
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '')
      .join('');
    expect(streamed).toBe(said);
    expect(said).toMatch(/[\u0600-\u06ff]/);
  });
});

describe('several requests on one connection', () => {
  it('sent ahead are answered in order', async () => {
    const { socket, answers } = await dial();
    const texts = ['one', 'two', 'three', 'four'];
    socket.write(Buffer.concat(texts.map((content) => request({ ...HELLO, messages: [{ role: 'user', content }] }))));
    const all = await answers(4);
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(gateway.vendor.requests.map(({ body }) => JSON.stringify(body).match(/one|two|three|four/)?.[0])).toEqual(
      texts,
    );
  });

  it('a large one sent ahead waits its turn', async () => {
    const { socket, answers } = await dial();
    const long = { ...HELLO, messages: [{ role: 'user', content: 'long '.repeat(60_000) }] };
    socket.write(request(HELLO));
    socket.write(request(long));
    socket.write(request(HELLO));
    expect((await answers(3)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('one that is not plain moves the connection to the ordinary way, where it stays usable', async () => {
    const { socket, answers } = await dial();
    socket.write(request(HELLO));
    await answers(1);
    socket.write(request(HELLO, [], '/api/v1/chat/completions?beta=true'));
    await answers(2);
    socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`);
    await answers(3);
    socket.write(request(HELLO));
    expect((await answers(4)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('one that is not plain behind a plain one, in the same packet', async () => {
    const { socket, answers } = await dial();
    socket.write(Buffer.concat([request(HELLO), request(HELLO, ['Expect: nothing-we-know'])]));
    const all = await answers(2);
    expect(all.map(({ status }) => status)).toEqual([200, 417]);
  });
});

describe('what two parsers could read differently', () => {
  it.each([
    ['two lengths', ['Content-Length: 4']],
    ['a length and chunks', ['Transfer-Encoding: chunked']],
    ['a folded header', ['X-A: b', ' c']],
    ['a lone line feed', ['X-A: b\nX-Api-Key: c']],
  ])('%s is refused by Node, and nothing is asked of a provider', async (_what, extra) => {
    const { socket, answers, closed } = await dial();
    socket.write(request(HELLO, extra));
    await closed;
    expect((await answers(1))[0]?.status ?? 400).toBe(400);
    expect(gateway.vendor.requests).toHaveLength(0);
  });
});

describe('a client that leaves', () => {
  it('after half a body is forgotten', async () => {
    const { socket, closed } = await dial();
    socket.end(request(HELLO).subarray(0, -10));
    await closed;
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('by saying its last word before the answer has left', async () => {
    gateway.vendor.reset();
    const { socket, closed } = await dial();
    socket.end(request({ ...HELLO, stream: true }));
    await closed;
    expect((await gateway.chat(HELLO)).status).toBe(200);
  });
});
