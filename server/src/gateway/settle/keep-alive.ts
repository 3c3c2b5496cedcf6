/** An empty frame, sent when a provider is silent, so that proxies in between do not close the connection. */
import type { Sink } from '../../core/answer.ts';
import { type Indexed, IndexedList } from '../../core/indexed-list.ts';

/** A stream that was silent for this many ticks has been silent for nearly as long as is allowed, and no longer. */
const TICKS = 3;

/** One slow timer for all streams, instead of one per stream or one re-armed per chunk. */
class SharedTimer {
  readonly #everyMs: number;
  readonly #streams = new IndexedList<KeepAlive>();
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  add(stream: KeepAlive): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#tick(), this.#everyMs).unref();
  }

  remove(stream: KeepAlive): void {
    this.#streams.remove(stream);
  }

  #tick(): void {
    for (const stream of this.#streams.entries) stream.tick();
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The setting is the same for all streams and seldom changes. */
let shared: { everyMs: number; timer: SharedTimer } | undefined;

function timerOf(everyMs: number): SharedTimer {
  if (shared?.everyMs !== everyMs) shared = { everyMs, timer: new SharedTimer(everyMs) };
  return shared.timer;
}

export class KeepAlive implements Indexed {
  position = -1;
  readonly #timer: SharedTimer;
  readonly #sink: Sink;
  readonly #frame: string;
  #silentTicks = 0;
  #blocked = false;

  constructor(sink: Sink, frame: string, everyMs: number) {
    this.#sink = sink;
    this.#frame = frame;
    this.#timer = timerOf(everyMs / TICKS);
    this.#timer.add(this);
  }

  tick(): void {
    if (++this.#silentTicks < TICKS || this.#blocked || this.#sink.gone) return;
    this.wrote(this.#sink.write(this.#frame));
  }

  /** `drained`: the reader is behind. It still has data to read, so further frames would only pile up. */
  wrote(drained: Promise<void> | undefined): void {
    this.#silentTicks = 0;
    if (!drained) return;
    this.#blocked = true;
    void drained.then(() => {
      this.#blocked = false;
    });
  }

  stop(): void {
    this.#timer.remove(this);
  }
}
