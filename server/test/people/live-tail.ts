/** The live tail of the request log, read as a browser's EventSource reads it. */
import type { Browser } from './client.ts';

export interface TailedRequest {
  id: string;
  state: string;
  key_id: string;
  cost: string;
}

export class LiveTail {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stop: AbortController;
  #text = '';

  private constructor(reader: ReadableStreamDefaultReader<Uint8Array>, stop: AbortController) {
    this.#reader = reader;
    this.#stop = stop;
  }

  /** Waits until it is open: what ends from then on is told. */
  static async open({ gateway, cookie }: Browser, account: string): Promise<LiveTail> {
    const stop = new AbortController();
    const response = await fetch(`${gateway.origin}/api/console/requests/live?account=${account}`, {
      headers: { cookie: cookie ?? '', accept: 'text/event-stream' },
      signal: stop.signal,
    });
    if (response.status !== 200 || !response.body) throw new Error(`the tail answered ${response.status}`);
    const tail = new LiveTail(response.body.getReader(), stop);
    while (!tail.#text.includes(': open')) if (!(await tail.#read())) throw new Error('the tail ended at once');
    return tail;
  }

  /** The next request that ends; undefined when the tail ends instead. */
  async next(): Promise<TailedRequest | undefined> {
    for (;;) {
      const event = /event: request\ndata: (.*)\n\n/.exec(this.#text);
      if (event) {
        this.#text = this.#text.slice(event.index + event[0].length);
        return JSON.parse(event[1] ?? '') as TailedRequest;
      }
      if (!(await this.#read())) return undefined;
    }
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(): Promise<boolean> {
    const { value, done } = await this.#reader.read().catch(() => ({ value: undefined, done: true }));
    if (value) this.#text += new TextDecoder().decode(value);
    return !done;
  }
}
