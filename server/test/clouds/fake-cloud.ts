/** A cloud on loopback: a token endpoint and whatever a test answers. It keeps what it was asked; nothing here is signed by our own code. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  method: string;
  /** With the query, as it came. */
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface CloudAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: string | Uint8Array | object;
}

export interface FakeCloud {
  origin: string;
  /** Without those for tokens. */
  asked: Asked[];
  tokens: Asked[];
  /** How questions are answered; a thrown error is a broken connection. */
  answer: (asked: Asked) => CloudAnswer;
  /** How tokens are given out. */
  token: (asked: Asked) => CloudAnswer;
  reset(): void;
  stop(): Promise<void>;
}

export async function startFakeCloud(): Promise<FakeCloud> {
  let given = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const asked = { method, path, headers, text: Buffer.concat(pieces).toString() };
      const isToken = path.endsWith('/token');
      (isToken ? cloud.tokens : cloud.asked).push(asked);
      send(response, (isToken ? cloud.token : cloud.answer)(asked));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cloud: FakeCloud = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    tokens: [],
    answer: () => ({ status: 500, body: {} }),
    token: () => ({ body: { access_token: `token-${++given}`, expires_in: 3_599, token_type: 'Bearer' } }),
    reset() {
      cloud.asked.length = 0;
      cloud.tokens.length = 0;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return cloud;
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: CloudAnswer): void {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(isPlain ? body : JSON.stringify(body));
}

export function sse(...frames: (object | string)[]): CloudAnswer {
  const text = frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('');
  return { headers: { 'content-type': 'text/event-stream' }, body: text };
}
