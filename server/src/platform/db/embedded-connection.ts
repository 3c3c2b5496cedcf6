/**
 * The driver's connection to the embedded database: a stream whose bytes go to the database's thread as messages. A socket would
 * do the same, but a batch of requests (half a megabyte) would be copied ten times on its way.
 */
import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

type Written = { chunk: Buffer; encoding: BufferEncoding };
type Done = (error?: Error | null) => void;

export class EmbeddedConnection extends Duplex {
  readonly #reach: () => MessagePort | undefined;
  #port: MessagePort | undefined;

  /** `reach` gives the port of a new connection; undefined while the database's thread does not run. */
  constructor(reach: () => MessagePort | undefined) {
    super();
    this.#reach = reach;
  }

  /** The other socket methods that the driver calls. */
  connect(): this {
    const port = this.#reach();
    this.#port = port;
    if (!port) return this.destroy(notRunning());
    port.on('message', (bytes: Uint8Array) => this.push(bytes));
    port.on('close', () => this.destroy());
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    this.#port?.ref();
    return this;
  }

  unref(): this {
    this.#port?.unref();
    return this;
  }

  override _read(): void {
    // Nothing to do: the thread sends each answer as soon as it has it.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send([chunk], done);
  }

  /** The driver writes the messages of one statement together; they are sent together. */
  override _writev(written: Written[], done: Done): void {
    this.#send(
      written.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#port?.close();
    done(error);
  }

  /** The driver writes whole messages, so that every piece is one or several of them. */
  #send(chunks: Buffer[], done: Done): void {
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const piece = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      piece.set(chunk, at);
      at += chunk.length;
    }
    this.#port?.postMessage(piece, [piece.buffer]);
    done();
  }
}

function notRunning(): Error {
  return Object.assign(new Error('the embedded database is not running'), { code: 'ECONNREFUSED' });
}
