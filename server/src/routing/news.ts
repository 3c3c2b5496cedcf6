/**
 * What one replica learns about providers and the others should know: circuits that open and close, and which target
 * holds a conversation's prompt cache. It is sent in bundles after the requests; nothing waits for it or depends on it,
 * because a replica that hears nothing finds out for itself.
 */
import type { FailureKind } from '../core/failure.ts';
import { isJsonObject, type Json, parseTrustedJson } from '../core/json.ts';

export type RouteNews =
  | { kind: 'opened'; circuit: string; forMs: number; cause: FailureKind }
  | { kind: 'closed'; circuit: string }
  | { kind: 'answered'; conversation: string; target: string };

/** Carries texts to the other replicas. A text that cannot be sent is dropped silently. */
export interface NewsWire {
  send(text: string): void;
  onText(listener: (text: string) => void): void;
  /** Called when it begins to work, also after an interruption in which texts got lost. */
  onReady(listener: () => void): void;
}

export interface NewsListener {
  hear(news: RouteNews): void;
  /** The state that a replica sends to one that has just started. */
  known(): RouteNews[];
}

const BUNDLE_MS = 50;
/** Above this number the oldest are dropped, because they are the least useful. */
const MAX_WAITING = 5_000;
const MAX_PER_TEXT = 500;

export class RoutingNews {
  readonly #wire: NewsWire;
  readonly #replica: string;
  /** By subject, because only the last news about one subject matters. */
  readonly #waiting = new Map<string, RouteNews>();
  #timer: NodeJS.Timeout | undefined;

  constructor(wire: NewsWire, replica: string) {
    this.#wire = wire;
    this.#replica = replica;
  }

  listen(listener: NewsListener): void {
    this.#wire.onText((text) => {
      const message = parseTrustedJson(text);
      if (!isJsonObject(message) || message['from'] === this.#replica) return;
      if (message['asks'] === true) for (const news of listener.known()) this.tell(news);
      for (const news of readAll(message['news'])) listener.hear(news);
    });
    this.#wire.onReady(() => {
      this.#send([], true);
      for (const news of listener.known()) this.tell(news);
    });
  }

  tell(news: RouteNews): void {
    const about = news.kind === 'answered' ? `conversation ${news.conversation}` : `circuit ${news.circuit}`;
    this.#waiting.delete(about);
    this.#waiting.set(about, news);
    if (this.#waiting.size > MAX_WAITING) this.#waiting.delete(this.#waiting.keys().next().value ?? '');
    this.#timer ??= setTimeout(() => this.#flush(), BUNDLE_MS).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (let at = 0; at < all.length; at += MAX_PER_TEXT) this.#send(all.slice(at, at + MAX_PER_TEXT), false);
  }

  #send(news: RouteNews[], asks: boolean): void {
    this.#wire.send(JSON.stringify({ from: this.#replica, asks, news }));
  }
}

function readAll(value: Json | undefined): RouteNews[] {
  return Array.isArray(value) ? value.flatMap((one) => readOne(one) ?? []) : [];
}

/** Returns undefined for messages of another version. */
function readOne(value: Json): RouteNews | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, circuit, forMs, cause, conversation, target } = value;
  if (kind === 'answered' && typeof conversation === 'string' && typeof target === 'string') {
    return { kind, conversation, target };
  }
  if (typeof circuit !== 'string') return undefined;
  if (kind === 'closed') return { kind, circuit };
  if (kind !== 'opened' || typeof forMs !== 'number' || typeof cause !== 'string') return undefined;
  return { kind, circuit, forMs, cause: cause as FailureKind };
}
