/**
 * A bank's server as its documentation describes it, on a port of its own. It can be told to fail: answer with a code, answer
 * only when a test lets it, cut the connection, or speak of another amount.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/core/json.ts';

export type BankFault =
  /** The documented error of this code. */
  | { kind: 'code'; code: number }
  /** Answers when `release` is called. */
  | { kind: 'late' }
  /** Does its work and cuts the connection before the answer. */
  | { kind: 'silent' }
  /** Answers as it should; the one after it may not. */
  | { kind: 'pass' }
  /** Refuses the connection's request without doing anything. */
  | { kind: 'cut' }
  | { kind: 'http'; status: number };

export interface BankCall {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingMessage['headers'];
}

export interface BankAnswer {
  status: number;
  body: JsonObject;
}

export abstract class FakeBank {
  readonly calls: BankCall[] = [];
  readonly #faults = new Map<string, BankFault[]>();
  readonly #waiting: (() => void)[] = [];
  readonly #arrived: (() => void)[] = [];
  #server: Server | undefined;
  origin = '';

  /** What the documented server would do. */
  abstract answer(call: BankCall): BankAnswer;
  /** The documented error body of a code. */
  abstract failure(code: number): BankAnswer;

  async open(): Promise<this> {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** The next calls whose path ends like this fail so, one after the other. */
  failNext(pathEnd: string, ...faults: BankFault[]): void {
    this.#faults.set(pathEnd, [...(this.#faults.get(pathEnd) ?? []), ...faults]);
  }

  /** Resolves once a late answer waits. */
  untilWaiting(): Promise<void> {
    if (this.#waiting.length > 0) return Promise.resolve();
    return new Promise((resolve) => this.#arrived.push(resolve));
  }

  release(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://bank');
    const { method = '', headers } = request;
    const call = { method, path: pathname, query, body: Buffer.concat(chunks).toString(), headers };
    this.calls.push(call);
    const fault = this.#takeFault(pathname);
    if (fault?.kind === 'cut') return void response.destroy();
    if (fault?.kind === 'http') return void response.writeHead(fault.status).end('<html>bad gateway</html>');
    const { status, body } = fault?.kind === 'code' ? this.failure(fault.code) : this.answer(call);
    if (fault?.kind === 'silent') return void response.destroy();
    if (fault?.kind === 'late')
      await new Promise<void>((go) => {
        this.#waiting.push(go);
        for (const tell of this.#arrived.splice(0)) tell();
      });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #takeFault(path: string): BankFault | undefined {
    for (const [end, faults] of this.#faults) if (path.endsWith(end)) return faults.shift();
    return undefined;
  }
}
