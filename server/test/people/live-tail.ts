/** Live answers, read as a browser's EventSource reads them. */
import type { Browser } from './client.ts';

export interface TailedRequest {
  id: string;
  state: string;
  key_id: string;
  cost: string;
}

export interface HeardChange {
  what: string;
  id: string | null;
}

export class LiveTail {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stop: AbortController;
  #text = '';

  private constructor(reader: ReadableStreamDefaultReader<Uint8Array>, stop: AbortController) {
    this.#reader = reader;
    this.#stop = stop;
  }

  /** Waits until it is open: what happens from then on is told. */
  static async open(
    { gateway, cookie }: Browser,
    account: string,
    path = '/api/console/requests/live',
  ): Promise<LiveTail> {
    const stop = new AbortController();
    const response = await fetch(`${gateway.origin}${path}?account=${account}`, {
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
    return (await this.#event('request')) as TailedRequest | undefined;
  }

  /** The next thing that changed; undefined when the tail ends instead. */
  async nextChange(): Promise<HeardChange | undefined> {
    return (await this.#event('changed')) as HeardChange | undefined;
  }

  close(): void {
    this.#stop.abort();
  }

  async #event(name: string): Promise<unknown> {
    const pattern = new RegExp(`event: ${name}\ndata: (.*)\n\n`);
    for (;;) {
      const event = pattern.exec(this.#text);
      if (event) {
        this.#text = this.#text.slice(0, event.index) + this.#text.slice(event.index + event[0].length);
        return JSON.parse(event[1] ?? '');
      }
      if (!(await this.#read())) return undefined;
    }
  }

  async #read(): Promise<boolean> {
    const { value, done } = await this.#reader.read().catch(() => ({ value: undefined, done: true }));
    if (value) this.#text += new TextDecoder().decode(value);
    return !done;
  }
}
