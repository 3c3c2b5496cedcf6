/**
 * Answers that stay open and report changes as server-sent events. They poll once a second: that works the same on one
 * replica and on many, and many changes at once are reported once. A reader who is signed out, removed or blocked
 * meanwhile is cut off.
 */
import type { Sink } from '../core/answer.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { ChangedThing, ThingChange } from '../platform/changes.ts';
import { writeFrame } from '../protocols/index.ts';
import { RawAnswer } from './routes/handler-result.ts';

const LOOK_MS = 1_000;
/** The browser reconnects by itself, with the rights it has by then. */
const LIFETIME_MS = 30 * 60_000;
/** After how many polls the reader's rights are checked again. */
const LOOKS_PER_ENTRY = 5;
/** A page that hears nothing for longer than a few of these knows that its connection is dead. */
const CHECKS_PER_HEARTBEAT = 15;
/** The most changes of one kind that are named one by one; beyond it the whole kind counts as changed. */
const MAX_IDS = 20;

const HEARTBEAT = writeFrame('{}', 'beat');

export interface LiveTools {
  clock: Clock;
  pause(ms: number): Promise<void>;
}

export interface LiveView<Who> {
  /** Called before the answer begins: what happens from then on is reported. */
  begin?(): Promise<void>;
  /** The frames of what happened since the last poll. */
  look(who: Who): Promise<string[]>;
  /** Whether something happened that may have changed the reader's rights. */
  entryChanged?(): boolean;
  end(): void;
}

/** Bounds the open answers of one owner, because each polls once a second. */
export class LiveConnectionSlots {
  readonly #max: number;
  readonly #taken = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns a function that leaves it. */
  acquire(owner: string): () => void {
    const taken = this.#taken.get(owner) ?? 0;
    if (taken >= this.#max) throw new GatewayError('rate_limited', { retryAfterMs: 60_000 });
    this.#taken.set(owner, taken + 1);
    return () => {
      const left = (this.#taken.get(owner) ?? 1) - 1;
      if (left > 0) this.#taken.set(owner, left);
      else this.#taken.delete(owner);
    };
  }
}

/** Changes that wait for the next poll. */
export class ChangeMailbox {
  readonly #waiting = new Map<ChangedThing, Set<string>>();
  #missed = false;

  readonly heard = ({ what, id }: ThingChange): void => {
    const ids = this.#waiting.get(what) ?? new Set();
    if (ids.size <= MAX_IDS) this.#waiting.set(what, ids.add(id));
  };

  readonly missed = (): void => {
    this.#missed = true;
  };

  holds(...things: readonly ChangedThing[]): boolean {
    return things.some((what) => this.#waiting.has(what));
  }

  /** Empties it; changes that the reader may not see are dropped. */
  drain(mayRead: (what: ChangedThing) => boolean): LiveChange[] {
    const missed = this.#missed;
    const waiting = [...this.#waiting];
    this.#missed = false;
    this.#waiting.clear();
    if (missed) return [{ what: 'everything', id: null }];
    return waiting
      .filter(([what]) => mayRead(what))
      .flatMap(([what, ids]) =>
        ids.size > MAX_IDS ? [{ what, id: null }] : [...ids].map((id) => ({ what, id: id === '' ? null : id })),
      );
  }
}

/** `id` is null when several have changed, or when it is one of a kind. */
export interface LiveChange {
  what: ChangedThing | 'everything';
  id: string | null;
}

export function changeFrame(change: LiveChange): string {
  return writeFrame(JSON.stringify(change), 'changed');
}

export function liveAnswer<Who>(
  tools: LiveTools,
  { who, enterAgain }: { who: Who; enterAgain(): Promise<Who> },
  view: LiveView<Who>,
): RawAnswer {
  const run = (sink: Sink) => keepLooking(tools, who, enterAgain, view, sink).finally(() => view.end());
  return new RawAnswer({ kind: 'stream', contentType: 'text/event-stream; charset=utf-8', run });
}

async function keepLooking<Who>(
  { clock, pause }: LiveTools,
  first: Who,
  enterAgain: () => Promise<Who>,
  view: LiveView<Who>,
  sink: Sink,
): Promise<void> {
  const endsAt = clock.now() + LIFETIME_MS;
  let who = first;
  try {
    await view.begin?.();
    await sink.write(': open\n\n');
    for (let looks = 1; !sink.gone && clock.now() < endsAt; looks++) {
      if (looks % LOOKS_PER_ENTRY === 0 || view.entryChanged?.()) who = await enterAgain();
      const frames = await view.look(who);
      for (const frame of frames) await sink.write(frame);
      if (looks % CHECKS_PER_HEARTBEAT === 0) await sink.write(HEARTBEAT);
      else if (frames.length === 0) await sink.write(': \n\n');
      await pause(LOOK_MS);
    }
    sink.end();
  } catch {
    // The database is away, or the reader left or lost its rights: a reader that may still read reconnects by itself.
    sink.cut();
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
