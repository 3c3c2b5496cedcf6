/** A frame that says nothing, sent between frames when a provider is silent, so that proxies in between do not cut the line. */
import type { Sink } from './call.ts';

const TICKS = 3;

export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  #silentTicks = 0;

  constructor(sink: Sink, frame: string, everyMs: number) {
    // One slow timer per stream that looks back, instead of one re-armed per chunk: chunks come by the hundred.
    this.#timer = setInterval(() => {
      if (++this.#silentTicks < TICKS || sink.gone) return;
      this.#silentTicks = 0;
      void sink.write(frame);
    }, everyMs / TICKS);
    this.#timer.unref();
  }

  wrote(): void {
    this.#silentTicks = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
