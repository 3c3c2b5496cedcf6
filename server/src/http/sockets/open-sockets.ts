/**
 * The open WebSockets: how many there may be, how long each may live and stay silent, and their end at shutdown. One
 * sweep checks all of them, so that none needs a timer of its own.
 */
import type { Text } from '@dargah/core/text.ts';
import { GatewayError } from '../../core/errors.ts';
import { httpReasons } from '../reasons.ts';

export interface SocketLimits {
  perProcess: number;
  perKey: number;
}

/** A socket as the sweep sees it. */
export interface KeptSocket {
  readonly keyId: string;
  /** The account of the socket. */
  readonly owner: string;
  /** True while an answer is being made. */
  readonly busy: boolean;
  /** True when the other side has answered the last ping, or none was sent. */
  readonly alive: boolean;
  ping(): void;
  /** Says why and closes. Called once, and never while it is busy, except with `cut`. */
  end(why: SocketEnd): void;
  /** Closes without a message: nobody is there, or there is no time left. */
  cut(): void;
}

/** `leaving` means that the process is about to end. */
export type SocketEnd = 'idle' | 'lifetime' | 'leaving';

interface Entry {
  openedMs: number;
  usedMs: number;
  pingedMs: number;
  ending: boolean;
}

/** The share of all sockets of a process that one account may have, however many keys it makes. */
const SHARE_OF_ACCOUNT = 4;

/** This is as long as a vendor keeps a connection; its clients then open another one. */
export const SOCKET_LIFETIME_MS = 60 * 60_000;
/** This is longer than a person thinks between two questions to an agent. */
export const SOCKET_IDLE_MS = 10 * 60_000;
/** This is shorter than the 60 s after which proxies and home routers forget a silent connection. */
export const SOCKET_PING_MS = 25_000;

export class OpenSockets {
  readonly #limits: SocketLimits;
  readonly #nowMs: () => number;
  readonly #open = new Map<KeptSocket, Entry>();
  readonly #ofKey = new Tally();
  readonly #ofAccount = new Tally();
  #leaving = false;

  constructor(limits: SocketLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws where there is no room for one more of this key, or of its account. */
  checkRoom({ keyId, owner }: Pick<KeptSocket, 'keyId' | 'owner'>): void {
    const { perProcess, perKey } = this.#limits;
    if (this.#leaving || this.#open.size >= perProcess) throw new GatewayError('overloaded', { retryAfterMs: 2_000 });
    const perAccount = Math.max(perKey, Math.floor(perProcess / SHARE_OF_ACCOUNT));
    if (this.#ofKey.of(keyId) >= perKey) throw tooMany(httpReasons.tooManySockets(perKey));
    if (this.#ofAccount.of(owner) >= perAccount) throw tooMany(httpReasons.tooManySocketsOfAccount(perAccount));
  }

  add(socket: KeptSocket): void {
    const now = this.#nowMs();
    this.#open.set(socket, { openedMs: now, usedMs: now, pingedMs: now, ending: false });
    this.#ofKey.add(socket.keyId);
    this.#ofAccount.add(socket.owner);
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
    this.#ofKey.remove(socket.keyId);
    this.#ofAccount.remove(socket.owner);
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

  /** No new socket is accepted; idle ones close now, the others when their answer has ended. */
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

function tooMany(reason: Text): GatewayError {
  return new GatewayError('rate_limited', { retryAfterMs: 5_000, reason, detail: { limit: 'sockets' } });
}

/** Counts by name; a name with a count of zero is removed. */
class Tally {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string): void {
    this.#counts.set(name, this.of(name) + 1);
  }

  remove(name: string): void {
    const left = this.of(name) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
  }
}
