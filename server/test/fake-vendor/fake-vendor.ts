/**
 * A provider on loopback that does exactly what a test scripts: a real server with real sockets, so that aborts, resets,
 * stalls and backpressure are the kernel's and not a mock's. Unscripted requests are answered like a small real vendor.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answer } from './behaviours.ts';
import { type Behaviour, openWire, type RecordedRequest, readRequest } from './wire.ts';

export interface FakeVendor {
  readonly origin: string;
  /** Base address as a provider's `base_url` has it, per protocol. */
  readonly baseUrls: Record<'openai-chat' | 'anthropic-messages' | 'openai-responses' | 'gemini-generate', string>;
  readonly requests: RecordedRequest[];
  readonly openSockets: number;
  readonly socketsEverOpened: number;
  /** Behaviours for the next requests, one each, in order of arrival. */
  next(...behaviours: Behaviour[]): void;
  /** For every request that has no behaviour of its own in the queue. */
  always(behaviour: Behaviour): void;
  /** The same, chosen by the request. */
  choose(chooser: (request: RecordedRequest) => Behaviour): void;
  /** The n-th request (from 0), as soon as it has arrived completely. */
  received(index: number): Promise<RecordedRequest>;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  /** Back to the default answers; forgets the recorded requests. */
  reset(): void;
  close(): Promise<void>;
}

class Waiters {
  readonly #entries: { ready: () => boolean; resolve: () => void }[] = [];

  until(ready: () => boolean): Promise<void> {
    if (ready()) return Promise.resolve();
    return new Promise((resolve) => this.#entries.push({ ready, resolve }));
  }

  check(): void {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i];
      if (!entry?.ready()) continue;
      this.#entries.splice(i, 1);
      entry.resolve();
    }
  }
}

export async function startFakeVendor(): Promise<FakeVendor> {
  const requests: RecordedRequest[] = [];
  const queue: Behaviour[] = [];
  const sockets = new Set<Socket>();
  const waiters = new Waiters();
  let chooser: (request: RecordedRequest) => Behaviour = () => answer();
  let socketsEverOpened = 0;
  let arrived = 0;

  const server = createServer((message, response) => {
    const index = arrived++;
    readRequest(index, message)
      .then(async (request) => {
        const wire = openWire(request, response);
        const behaviour = queue.shift() ?? chooser(request);
        requests[index] = request;
        waiters.check();
        await behaviour(wire);
      })
      .catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    socketsEverOpened++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      waiters.check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    baseUrls: {
      'openai-chat': `${origin}/v1`,
      'anthropic-messages': origin,
      'openai-responses': `${origin}/v1`,
      'gemini-generate': `${origin}/v1beta`,
    },
    requests,
    get openSockets() {
      return sockets.size;
    },
    get socketsEverOpened() {
      return socketsEverOpened;
    },
    next: (...behaviours) => void queue.push(...behaviours),
    always: (behaviour) => {
      chooser = () => behaviour;
    },
    choose: (next) => {
      chooser = next;
    },
    async received(index) {
      await waiters.until(() => requests[index] !== undefined);
      return requests[index] as RecordedRequest;
    },
    idle: () => waiters.until(() => sockets.size === 0),
    reset() {
      queue.length = 0;
      requests.length = 0;
      arrived = 0;
      chooser = () => answer();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
