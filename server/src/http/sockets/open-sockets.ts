/**
 * The WebSockets that are open: how many there may be, how long each may live and be silent, and their end when the process ends.
 * One sweep looks after all of them, so that none needs a timer of its own.
 */
import { GatewayError } from '../../core/errors.ts';
import { httpReasons } from '../reasons.ts';

export interface SocketLimits {
  perProcess: number;
  perKey: number;
}

/** A socket as the sweep sees it. */
export interface KeptSocket {
  readonly keyId: string;
  /** An answer is being made. */
  readonly busy: boolean;
  /** True when the other side has answered the last ping, or none was sent. */
  readonly alive: boolean;
  ping(): void;
  /** Says why and closes. Called once, and never while it is busy, except with `cut`. */
  end(why: SocketEnd): void;
  /** Without a word: nobody is there, or nobody may wait any longer. */
  cut(): void;
}

/** `leaving`: the process is about to end. */
export type SocketEnd = 'idle' | 'lifetime' | 'leaving';

interface Entry {
  openedMs: number;
  usedMs: number;
  pingedMs: number;
  ending: boolean;
}

/** What a vendor gives a connection; its clients open another one. */
export const SOCKET_LIFETIME_MS = 60 * 60_000;
/** Longer than a person thinks between two questions to an agent. */
export const SOCKET_IDLE_MS = 10 * 60_000;
/** Shorter than the 60 s after which proxies and home routers forget a silent connection. */
export const SOCKET_PING_MS = 25_000;

export class OpenSockets {
  readonly #limits: SocketLimits;
  readonly #nowMs: () => number;
  readonly #open = new Map<KeptSocket, Entry>();
  readonly #ofKey = new Map<string, number>();
  #leaving = false;

  constructor(limits: SocketLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws where there is no room for one more of this key. */
  checkRoom(keyId: string): void {
    if (this.#leaving || this.#open.size >= this.#limits.perProcess)
      throw new GatewayError('overloaded', { retryAfterMs: 2_000 });
    if ((this.#ofKey.get(keyId) ?? 0) < this.#limits.perKey) return;
    throw new GatewayError('rate_limited', {
      retryAfterMs: 5_000,
      reason: httpReasons.tooManySockets(this.#limits.perKey),
      detail: { limit: 'sockets' },
    });
  }

  add(socket: KeptSocket): void {
    const now = this.#nowMs();
    this.#open.set(socket, { openedMs: now, usedMs: now, pingedMs: now, ending: false });
    this.#ofKey.set(socket.keyId, (this.#ofKey.get(socket.keyId) ?? 0) + 1);
  }

  /** The client has sent something, or was answered. */
  used(socket: KeptSocket): void {
    const entry = this.#open.get(socket);
    if (!entry) return;
    entry.usedMs = this.#nowMs();
    if (!socket.busy) this.#endIfDue(socket, entry);
  }

  remove(socket: KeptSocket): void {
    if (!this.#open.delete(socket)) return;
    const left = (this.#ofKey.get(socket.keyId) ?? 1) - 1;
    if (left > 0) this.#ofKey.set(socket.keyId, left);
    else this.#ofKey.delete(socket.keyId);
  }

  sweep(): void {
    const now = this.#nowMs();
    for (const [socket, entry] of [...this.#open]) {
      if (!socket.busy) this.#endIfDue(socket, entry);
      if (now - entry.pingedMs < SOCKET_PING_MS) continue;
      entry.pingedMs = now;
      if (socket.alive) socket.ping();
      else socket.cut();
    }
  }

  /** No new one is let in; those without an answer in the making close now, the others when theirs has ended. */
  leave(): void {
    this.#leaving = true;
    for (const [socket, entry] of [...this.#open]) if (!socket.busy) this.#endIfDue(socket, entry);
  }

  cut(): void {
    for (const socket of [...this.#open.keys()]) socket.cut();
  }

  #endIfDue(socket: KeptSocket, entry: Entry): void {
    const why = this.#dueEnd(entry);
    if (why === undefined || entry.ending) return;
    entry.ending = true;
    socket.end(why);
  }

  #dueEnd({ openedMs, usedMs }: Entry): SocketEnd | undefined {
    const now = this.#nowMs();
    if (this.#leaving) return 'leaving';
    if (now - openedMs >= SOCKET_LIFETIME_MS) return 'lifetime';
    return now - usedMs >= SOCKET_IDLE_MS ? 'idle' : undefined;
  }
}
