/**
 * Shuts a server down under load without an error for anybody behind a proxy.  A proxy cannot know whether a request
 * was processed whose connection is reset, so it must not repeat it elsewhere. Two things would cause a reset:
 * connections that the kernel has queued when we stop listening, and kept connections that we close while the proxy
 * sends on them.
 */
import { type Server, Server as TcpServer } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** A server that gets connections in every turn cannot wait for an empty turn for ever. */
const MAX_TURNS = 1_000;
const LOOK_MS = 25;

interface Running {
  readonly size: number;
  idle(): Promise<void>;
}

export class LastRequests {
  readonly #server: Server;
  #asked = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Called for every request that arrives after the server stopped listening. */
  asked(): void {
    this.#asked++;
  }

  /**
   * Stops accepting connections right after a turn of the event loop in which none came, because then the kernel has
   * none queued: queued ones would be reset, with the requests on them.
   */
  async stopListening(): Promise<void> {
    let taken = 0;
    const count = () => {
      taken++;
    };
    this.#server.on('connection', count);
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      const before = taken;
      await setImmediate();
      if (turns > 0 && taken === before) break;
    }
    this.#server.off('connection', count);
    // The HTTP server's own `close` would also cut idle connections, on which a proxy may be sending a request at this moment.
    TcpServer.prototype.close.call(this.#server);
  }

  /**
   * Resolves when nothing runs and nothing was asked for this long, counted anew from the end of what ran: the connection of a
   * stream is kept too, and its client goes on with it as soon as the stream is over.
   */
  async answered(running: Running, quietMs: number): Promise<void> {
    let ran: boolean;
    let asked: number;
    do {
      await this.#over(quietMs);
      asked = this.#asked;
      ran = running.size > 0;
      await running.idle();
    } while (ran || this.#asked !== asked);
  }

  /**
   * Resolves when no connection is left, or none had a request for this long. Counted in checks, because a busy process
   * checks later.
   */
  async #over(quietMs: number): Promise<void> {
    const looks = Math.ceil(quietMs / LOOK_MS);
    for (let quiet = 0; quiet < looks; quiet++) {
      if ((await this.#connections()) === 0) return;
      const before = this.#asked;
      await setTimeout(LOOK_MS);
      if (this.#asked !== before) quiet = -1;
    }
  }

  #connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }
}
