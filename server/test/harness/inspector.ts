/**
 * The inspector of a process started with `--inspect=127.0.0.1:0`: it forces a collection and reads the heap from
 * outside, so that the program under test needs no endpoint for it.
 */
import { once } from 'node:events';
import { WebSocket } from 'undici';
import { isJsonObject, parseTrustedJson } from '../../src/core/json.ts';

export const INSPECTED = ['--inspect=127.0.0.1:0'];
const ADDRESS = /Debugger listening on (ws:\S+)/;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear(String(data)));
    socket.addEventListener('close', () => this.#fail('the inspected process has gone'));
  }

  /** `output`: what the process printed; it names the address. */
  static async connect(output: string): Promise<Inspector> {
    const address = ADDRESS.exec(output)?.[1];
    if (address === undefined) throw new Error('the process was not started with --inspect');
    const socket = new WebSocket(address);
    await once(socket, 'open');
    return new Inspector(socket);
  }

  ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** A process with an open inspector waits for it at its end. */
  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #hear(text: string): void {
    const message = parseTrustedJson(text);
    if (!isJsonObject(message) || typeof message['id'] !== 'number') return;
    const waiting = this.#waiting.get(message['id']);
    this.#waiting.delete(message['id']);
    if (message['error'] === undefined) waiting?.resolve(message['result']);
    else waiting?.reject(new Error(`inspector: ${JSON.stringify(message['error'])}`));
  }

  #fail(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
  }
}
