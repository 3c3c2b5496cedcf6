/**
 * The end of a server under load, without an error for anybody behind a proxy.
 *
 * A proxy cannot know whether a request was read whose connection is reset, so it must not send it to another process. Two things
 * would reset one: connections that the kernel holds for us when we stop listening, and kept connections that we close while the
 * proxy sends on them.
 */
import { type Server, Server as TcpServer } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** A server that gets connections in every turn cannot wait for a quiet one for ever. */
const MAX_TURNS = 1_000;
const LOOK_MS = 25;

export class LastRequests {
  readonly #server: Server;
  #asked = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  /** To be called for every request that comes after the server stopped listening. */
  asked(): void {
    this.#asked++;
  }

  /** How many have come so far. */
  get count(): number {
    return this.#asked;
  }

  /**
   * Takes no further connection. Stops right after a turn of the event loop in which none came, because then the kernel holds
   * none: those it holds would be reset, requests on them included.
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

  /** Resolves when no connection is left, or nobody has asked on any for so long. Counted in looks: a busy process looks later. */
  async over(quietMs: number): Promise<void> {
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
