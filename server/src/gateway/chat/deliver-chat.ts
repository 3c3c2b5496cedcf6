/** Steps 10 and 11 for both kinds of answer: out to the client, metered on the way, settled before the last byte. */

import { type Answer, jsonAnswer, type Sink, type StreamAnswer } from '../../core/answer.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { Ending } from '../../ledger/index.ts';
import type { AnswerClosing, ClientView, Reference, StreamEncoder, StreamRelay } from '../../protocols/index.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import { errorInStream } from '../attempt/failures.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { KeepAlive } from '../settle/keep-alive.ts';
import type { RequestOutput, Settlement } from '../settle/request-output.ts';
import type { Run } from '../settle/run.ts';
import { endedByBlock } from '../settle/running.ts';
import { citeResponse, StreamCiter } from './cite.ts';
import { HiddenOutput } from './hidden-output.ts';
import { Meter } from './meter.ts';
import { OpenParts } from './open-parts.ts';
import { type AnsweredWhole, type BegunAnswer, eventsOf } from './open-reply.ts';
import type { OutputAllowance } from './output-allowance.ts';
import { paidPart } from './paid-part.ts';
import { RelayWriter } from './relay-writer.ts';
import type { AnswerStream, EventBatch } from './upstream-stream.ts';

const FINISHED: Ending = { by: 'finish' };
const LEFT: Ending = { by: 'client' };
const USED_UP: Ending = { by: 'hold' };
const BLOCKED: Ending = { by: 'block' };
const CUT_SHORT_NOTE = 'stopped here: wallet or spend cap cannot pay for a longer answer';

export interface Delivery {
  run: Run;
  winner: WinningAttempt<BegunAnswer>;
  protocol: ClientProtocol;
  view: ClientView;
  references: Reference[];
  notes: string[] | undefined;
  /** What its provider was sent, where that is told. */
  upstream: JsonObject | undefined;
  /** How much of a stream is paid for; a whole answer never asks. */
  allowance(): OutputAllowance;
}

/** A client that left is still charged: the provider has charged us, and a retry with the same Idempotency-Key gets the answer. */
export function producedWhole(run: Run, begun: BegunAnswer): RequestOutput {
  const meter = new Meter();
  const { response, unread } = wholeOf(begun);
  meter.seeWhole(response);
  if (unread && (meter.usage === undefined || !meter.produced)) meter.seeUnread(unread());
  return outputOf(run, meter);
}

export function wholeAnswer(delivery: Delivery, settlement: Settlement, gw: Gateway): Answer {
  const { protocol, view } = delivery;
  const { response, relayBody } = wholeOf(delivery.winner.begun);
  const closing = closingOf(delivery, settlement);
  const { relay } = gw.upstreamProtocols[protocol.client.protocol];
  const body =
    relay && relayBody
      ? relay.patchResponse(relayBody, view, closing)
      : protocol.client.encodeResponse(citeResponse(response, delivery.references), view, closing);
  return jsonAnswer(body);
}

function wholeOf(begun: BegunAnswer): AnsweredWhole {
  if (begun.kind !== 'whole') throw new Error('a stream was opened for a request that wanted none');
  return begun;
}

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export function deliverStream(delivery: Delivery, gw: Gateway): StreamAnswer {
  const { keepAliveFrame } = delivery.protocol.client;
  return {
    kind: 'stream',
    contentType: EVENT_STREAM,
    run: (sink) => writeStream(delivery, sink, new KeepAlive(sink, keepAliveFrame, gw.settings.keepaliveMs), gw),
  };
}

/** Writes the answer to its end and stops `keepAlive`. */
export function writeStream(delivery: Delivery, sink: Sink, keepAlive: KeepAlive, gw: Gateway): Promise<void> {
  return new StreamDelivery(delivery, sink, gw).run(keepAlive);
}

class StreamDelivery {
  readonly #delivery: Delivery;
  readonly #sink: Sink;
  readonly #gw: Gateway;
  readonly #allowance: OutputAllowance;
  readonly #meter = new Meter();
  readonly #relay: StreamRelay | undefined;
  readonly #relayed: RelayWriter | undefined;
  readonly #encoder: StreamEncoder | undefined;
  readonly #citer: StreamCiter;
  readonly #open = new OpenParts();
  /** Set only for models that reason without showing it. */
  readonly #hidden: HiddenOutput | undefined;
  #sentSomething = false;
  /** What came with the end of the stream: it goes out with the last frame, in one write. */
  #last = '';

  constructor(delivery: Delivery, sink: Sink, gw: Gateway) {
    this.#delivery = delivery;
    this.#sink = sink;
    this.#gw = gw;
    this.#allowance = delivery.allowance();
    this.#citer = new StreamCiter(delivery.references);
    const { begun } = delivery.winner;
    const thought = begun.kind === 'stream' ? delivery.run.watchThought() : undefined;
    if (thought) this.#hidden = new HiddenOutput(delivery.run, thought, this.#meter, gw.clock);
    const relayCodec = gw.upstreamProtocols[delivery.protocol.client.protocol].relay;
    if (begun.kind === 'stream' && begun.relayed && relayCodec) {
      this.#relay = relayCodec.openRelay(delivery.view);
      this.#relayed = new RelayWriter(this.#relay);
    } else {
      this.#encoder = delivery.protocol.client.openEncoder(delivery.view);
    }
  }

  async run(keepAlive: KeepAlive): Promise<void> {
    let ended: Ending;
    try {
      ended = await this.#pump(keepAlive);
    } catch (error) {
      this.#gw.log.error({ requestId: this.#delivery.run.call.id, err: error }, 'stream delivery failed');
      this.#abort('internal error');
      ended = { by: 'us' };
    } finally {
      keepAlive.stop();
    }
    await this.#close(ended);
  }

  async #pump(keepAlive: KeepAlive): Promise<Ending> {
    const { begun } = this.#delivery.winner;
    if (begun.kind === 'whole') {
      if (!(await this.#forward(eventsOf(begun.response), keepAlive))) return this.#cutShort();
      return this.#sink.gone ? LEFT : FINISHED;
    }
    const { stream } = begun;
    for (let batch: EventBatch | null = begun.first; batch; batch = stream.ended ? null : await this.#next(stream)) {
      if (this.#sink.gone) {
        if (!this.#hidden || !this.#awaitsReport()) {
          stream.abort('client gone');
          return LEFT;
        }
        this.#hidden.hearsUnread(batch);
      } else {
        this.#hidden?.hears(batch);
        const sent = this.#forward(batch, keepAlive);
        // Awaited only when it is a promise: an `await` per token would cost every stream a turn of the event loop.
        if (!(typeof sent === 'boolean' ? sent : await sent)) return this.#cutShort();
      }
      const { failure } = this.#meter;
      // A connection that breaks after the finish has broken nothing.
      if (failure && this.#meter.finish === undefined) {
        if (this.#sink.gone) return LEFT;
        return endedByBlock(this.#delivery.run) ? BLOCKED : { by: 'upstream' };
      }
    }
    return this.#sink.gone ? LEFT : FINISHED;
  }

  #next(stream: AnswerStream): Promise<EventBatch | null> {
    this.#hidden?.waits();
    return stream.next();
  }

  /** The client has left, but only the provider can say what it thought; it is stopped a moment later (chat.ts). */
  #awaitsReport(): boolean {
    const { thinksUnseen, cancellation, call } = this.#delivery.run;
    return thinksUnseen && !cancellation.cancelled && call.idempotencyKey === undefined;
  }

  /** False when nothing more is paid for: then not all of it went out. At once unless hold or reader must be waited for. */
  #forward(batch: EventBatch, keepAlive: KeepAlive): boolean | Promise<boolean> {
    const paid = paidPart(batch, this.#allowance);
    if (paid instanceof Promise) return paid.then((part) => this.#send(part, keepAlive, part === batch));
    return this.#send(paid, keepAlive, paid === batch);
  }

  #send(part: EventBatch, keepAlive: KeepAlive, isAll: boolean): boolean | Promise<boolean> {
    const text = this.#encoded(part);
    if (text === '') return isAll;
    this.#sentSomething = true;
    if (isAll && this.#isWhole()) {
      this.#last = text;
      return true;
    }
    const drained = this.#sink.write(text);
    keepAlive.wrote(drained);
    return drained ? drained.then(() => isAll) : isAll;
  }

  /** The provider has said everything, and only the charge is waited for. */
  #isWhole(): boolean {
    const { begun } = this.#delivery.winner;
    if (this.#meter.finish === undefined || this.#meter.failure) return false;
    return begun.kind === 'whole' || begun.stream.ended;
  }

  /** Ends the answer where the hold ends, in the words of its protocol. */
  async #cutShort(): Promise<Ending> {
    const delivery = this.#delivery;
    this.#abort('hold used up');
    let text = this.#relay?.cutShort() ?? '';
    if (this.#encoder) for (const event of this.#open.ends()) text += this.#encoder.encode(event);
    if (text !== '') await this.#sink.write(text);
    delivery.notes = [...(delivery.notes ?? []), CUT_SHORT_NOTE];
    return USED_UP;
  }

  #encoded(batch: EventBatch): string {
    let text = '';
    for (const event of batch.events) {
      this.#meter.see(event);
      if (!this.#encoder || event.type === 'failure' || event.type === 'unread-text') continue;
      for (const citation of this.#citer.before(event)) text += this.#encoder.encode(citation);
      this.#open.see(event);
      text += this.#encoder.encode(event);
    }
    if (this.#relayed) for (const frame of batch.frames) text += this.#relayed.forward(frame);
    return text;
  }

  async #close(ended: Ending): Promise<void> {
    const { run, winner } = this.#delivery;
    const failure = ended.by === 'upstream' ? this.#meter.failure : undefined;
    winner.done(ended.by === 'finish' || ended.by === 'hold' ? 'ok' : (failure ?? 'aborted'));
    const error = this.#errorOf(ended, failure);
    const settlement = await run.settle(ended, this.#output(ended), error);
    const writer = this.#relay ?? this.#encoder;
    if (writer && !this.#sink.gone) {
      this.#last += error ? writer.fail(error) : writer.finish(closingOf(this.#delivery, settlement));
    }
    this.#endWith(this.#last);
  }

  #endWith(last: string): void {
    const sink = this.#sink;
    if (sink.endWith) {
      sink.endWith(last);
      return;
    }
    if (last !== '' && !sink.gone) void sink.write(last);
    sink.end();
  }

  #errorOf(ended: Ending, failure: UpstreamFailure | undefined): GatewayError | undefined {
    if (ended.by === 'finish' || ended.by === 'hold' || ended.by === 'client') return undefined;
    return endedByBlock(this.#delivery.run) ?? errorInStream(failure);
  }

  #output(ended: Ending): RequestOutput {
    const made: RequestOutput = {
      ...outputOf(this.#delivery.run, this.#meter),
      delivered: this.#meter.produced && this.#sentSomething,
    };
    return this.#hidden?.complete(made, ended) ?? made;
  }

  #abort(reason: string): void {
    const { begun } = this.#delivery.winner;
    if (begun.kind === 'stream') begun.stream.abort(reason);
  }
}

function outputOf(run: Run, meter: Meter): RequestOutput {
  return {
    finishSeen: meter.finish !== undefined,
    generated: meter.produced,
    delivered: meter.produced,
    reported: meter.usage,
    servedTier: meter.servedTier,
    counted: (): Usage => ({
      buckets: { inputFresh: run.likelyInput, output: meter.countOutput() },
      source: 'estimated',
    }),
  };
}

function closingOf({ run, references, notes, upstream }: Delivery, { usage, cost }: Settlement): AnswerClosing {
  const closing: AnswerClosing = { usage, cost };
  if (references.length > 0) closing.references = references;
  if (notes) closing.notes = notes;
  if (upstream) closing.upstream = upstream;
  if (run.guarantee) closing.guarantee = run.guarantee;
  return closing;
}
