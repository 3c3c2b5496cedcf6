/** A frame that says nothing, sent between frames when a provider is silent, so that proxies in between do not cut the line. */
import type { Sink } from '../../core/answer.ts';

const TICKS = 3;

export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  #silentTicks = 0;
  #blocked = false;

  constructor(sink: Sink, frame: string, everyMs: number) {
    // One slow timer per stream that looks back, instead of one re-armed per chunk: chunks come by the hundred.
    this.#timer = setInterval(() => {
      if (++this.#silentTicks < TICKS || this.#blocked || sink.gone) return;
      this.wrote(sink.write(frame));
    }, everyMs / TICKS);
    this.#timer.unref();
  }

  /** `drained`: the reader is behind. Until it has caught up there is something to read, and more would only pile up. */
  wrote(drained: Promise<void> | undefined): void {
    this.#silentTicks = 0;
    if (!drained) return;
    this.#blocked = true;
    void drained.then(() => {
      this.#blocked = false;
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
