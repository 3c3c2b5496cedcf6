/** Sends keep-alives to a reader of a replay buffer; they are no part of the answer. */
import type { Sink } from '../../core/answer.ts';
import { KeepAlive } from './keep-alive.ts';

export async function playAlive(
  play: (sink: Sink) => Promise<void>,
  sink: Sink,
  { keepAliveFrame, keepaliveMs }: { keepAliveFrame: string; keepaliveMs: number },
): Promise<void> {
  const keepAlive = new KeepAlive(sink, keepAliveFrame, keepaliveMs);
  const watched: Sink = {
    write(data) {
      const drained = sink.write(data);
      keepAlive.wrote(drained);
      return drained;
    },
    end() {
      keepAlive.stop();
      sink.end();
    },
    cut() {
      keepAlive.stop();
      sink.cut();
    },
    get gone() {
      return sink.gone;
    },
  };
  try {
    await play(watched);
  } finally {
    keepAlive.stop();
  }
}
