/**
 * Steps 10 and 11 of a streamed audio answer: events go out as they come, and it is settled before the last one, which
 * carries the cost.
 */

import type { Sink, StreamAnswer } from '../../core/answer.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { Ending } from '../../ledger/index.ts';
import { openaiChatClient, writeAudioEvent } from '../../protocols/index.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import { errorInStream } from '../attempt/failures.ts';
import type { Gateway } from '../gateway.ts';
import { KeepAlive } from '../settle/keep-alive.ts';
import type { Settlement } from '../settle/request-output.ts';
import type { Run } from '../settle/run.ts';
import { endedByBlock } from '../settle/running.ts';
import type { OpenedEvents } from './audio-event-source.ts';
import { type AudioOutput, audioOutputOf } from './audio-output.ts';

export interface AudioEventDelivery {
  run: Run;
  winner: WinningAttempt<unknown>;
  events: OpenedEvents;
  /** The usage that the last event reports, if any. */
  usageOf(reported: Json | undefined): Usage;
  usageResponse(settlement: Settlement): JsonObject;
  /** The last event is content too, and may be the only one: a picture. */
  lastIsContent?: boolean;
}

export function deliverAudioEvents(delivery: AudioEventDelivery, gw: Gateway): StreamAnswer {
  return {
    kind: 'stream',
    contentType: 'text/event-stream; charset=utf-8',
    run: (sink) => new EventDelivery(delivery, sink, gw).run(),
  };
}

class EventDelivery {
  readonly #delivery: AudioEventDelivery;
  readonly #sink: Sink;
  readonly #gw: Gateway;
  #delivered = false;
  #done: JsonObject | undefined;
  #failure: UpstreamFailure | undefined;

  constructor(delivery: AudioEventDelivery, sink: Sink, gw: Gateway) {
    this.#delivery = delivery;
    this.#sink = sink;
    this.#gw = gw;
  }

  async run(): Promise<void> {
    const keepAlive = new KeepAlive(this.#sink, openaiChatClient.keepAliveFrame, this.#gw.settings.keepaliveMs);
    let ended: Ending;
    try {
      ended = await this.#pump(keepAlive);
    } catch (error) {
      this.#gw.log.error({ requestId: this.#delivery.run.call.id, err: error }, 'audio delivery failed');
      this.#delivery.events.source.abort('internal error');
      ended = { by: 'us' };
    } finally {
      keepAlive.stop();
    }
    await this.#close(ended);
  }

  async #pump(keepAlive: KeepAlive): Promise<Ending> {
    const { source, first } = this.#delivery.events;
    for (let events: typeof first | null = first; events; events = await source.next()) {
      let text = '';
      for (const event of events) {
        if (event.kind === 'failure') this.#failure = event.failure;
        // The last event waits for its cost.
        else if (event.kind === 'done') this.#done = event.body;
        else text += writeAudioEvent(event.body);
        if (event.kind === 'content' || (event.kind === 'done' && this.#delivery.lastIsContent)) this.#delivered = true;
      }
      if (text !== '') {
        const drained = this.#sink.write(text);
        keepAlive.wrote(drained);
        if (drained) await drained;
      }
      if (this.#sink.gone) {
        source.abort('client gone');
        return { by: 'client' };
      }
      if (this.#failure) return { by: endedByBlock(this.#delivery.run) ? 'block' : 'upstream' };
      if (this.#done) return { by: 'finish' };
    }
    return { by: 'finish' };
  }

  async #close(ended: Ending): Promise<void> {
    const { run, winner, usageOf, usageResponse } = this.#delivery;
    winner.done(ended.by === 'finish' ? 'ok' : ended.by === 'upstream' ? (this.#failure ?? 'aborted') : 'aborted');
    const isWhole = ended.by === 'finish' || ended.by === 'client';
    const error = isWhole ? undefined : (endedByBlock(run) ?? errorInStream(this.#failure));
    const output: AudioOutput = {
      finished: this.#done !== undefined,
      delivered: this.#delivered,
      usage: usageOf(this.#done?.['usage']),
    };
    const settlement = await run.settle(ended, audioOutputOf(output), error);
    if (!this.#sink.gone) {
      const { id: requestId, language } = run.call;
      const last = error
        ? openaiChatClient.encodeError(error, { requestId, language })
        : { ...this.#done, usage: usageResponse(settlement) };
      void this.#sink.write(writeAudioEvent(last as JsonObject));
    }
    this.#sink.end();
  }
}
