/**
 * A realtime session: what the client says goes to the provider, what the provider says goes to the client, and every response in
 * between is a paid request of its own. Money is held before a response may begin: when the client asks for one, or when it sends
 * sound to a provider that answers by itself. A session without responses holds nothing and costs nothing.
 */
import { GatewayError } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import type { UpstreamSocket } from '../../platform/upstream/index.ts';
import {
  answersByItself,
  bytesPerSecond,
  checkedSession,
  detectionIn,
  outputPieceOf,
  readRealtimeClientEvent,
  withoutWords,
  withPublicModel,
} from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { errorInStream } from '../attempt/failures.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { ConversationSize } from './conversation-size.ts';
import { openUpstream } from './open-upstream.ts';
import type { RealtimeClient, RealtimeTerms } from './realtime-client.ts';
import { growHold, holdForResponse, realtimeModelOf, releaseHold } from './response-hold.ts';
import { RunningResponses } from './running-responses.ts';
import { WaitingHolds } from './waiting-holds.ts';

const POLICY = 1008;
const BROKEN = 1011;
/** What a provider that does not read may make us keep. */
const MAX_UNSENT_BYTES = 16 << 20;

export class RealtimeSession {
  readonly #client: RealtimeClient;
  readonly #terms: RealtimeTerms;
  readonly #gw: Gateway;
  #work: Promise<void>;
  #heard: Promise<void> = Promise.resolve();
  #upstream: UpstreamSocket | undefined;
  #target: Target | undefined;
  #modelId = '';
  #size = new ConversationSize(undefined);
  #responses: RunningResponses;
  #answersByItself = true;
  /** The client asked for that, and the provider has not said yet that it will. */
  #toldToAnswer = false;
  #soundPerSecond = bytesPerSecond({}, 'output');
  readonly #holds: WaitingHolds;
  /** Responses that the provider began and nobody pays for. */
  readonly #unpaid = new Set<string>();
  /** Monotonic: until then no sound is taken, since the rate of the key is used up. */
  #notBefore = 0;
  #over = false;
  #closing = false;

  constructor(client: RealtimeClient, terms: RealtimeTerms, gw: Gateway) {
    this.#client = client;
    this.#terms = terms;
    this.#gw = gw;
    this.#holds = new WaitingHolds(gw);
    this.#responses = new RunningResponses(gw, {
      changed: (count) => client.busy(count > 0),
      send: (text) => this.#send(text),
      cancel: (responseId) =>
        this.#upstream?.send(JSON.stringify({ type: 'response.cancel', response_id: responseId })),
      ended: (why) => this.#responseEnded(why),
    });
    this.#work = this.#open();
  }

  /** One at a time and in their order, since some wait for money. */
  message(bytes: Buffer, read: () => void): void {
    this.#work = this.#work
      .then(() => this.#fromClient(bytes))
      .catch((error: unknown) => this.#failed(error))
      .finally(read);
  }

  /** The client is gone: what is being made is stopped, and charged as far as it came. */
  left(): void {
    this.#over = true;
    this.#holds.releaseAll();
    this.#responses.left(() => this.#upstream?.close());
  }

  async #open(): Promise<void> {
    const call = this.#client.call();
    try {
      const key = await this.#client.authenticate(call);
      const model = realtimeModelOf(this.#terms.model, key, this.#gw, call.metadata);
      this.#modelId = model.id;
      this.#size = new ConversationSize(model.context);
      const { socket, target } = await openUpstream(call, key, model, this.#gw);
      this.#upstream = socket;
      this.#target = target;
      if (this.#over) {
        socket.close();
        return;
      }
      const hear = (work: () => Promise<void>): void => {
        this.#heard = this.#heard.then(work).catch((error: unknown) => this.#failed(error));
      };
      socket.listen({
        message: (text) => hear(() => this.#fromProvider(text)),
        closed: (reason) => hear(() => this.#broken(reason)),
      });
      const { session } = this.#terms;
      if (session) socket.send(JSON.stringify({ type: 'session.update', session: checkedSession(session, model.id) }));
    } catch (error) {
      await this.#refuse(call, error, undefined, true);
    }
  }

  async #fromClient(bytes: Buffer): Promise<void> {
    if (this.#over || this.#closing || !this.#upstream) return;
    let eventId: string | undefined;
    try {
      const given = readJsonBody({ body: bytes, contentType: 'application/json' });
      eventId = textOf(given['event_id']);
      const { type, event, changed } = readRealtimeClientEvent(given, this.#modelId);
      if (type === 'response.create') {
        await this.#ask(event, eventId);
        return;
      }
      if (type === 'input_audio_buffer.append') {
        if (!(await this.#mayHear(event['audio']))) return;
      } else if (type === 'input_audio_buffer.clear') this.#size.soundDropped();
      else if (type === 'conversation.item.create') this.#size.item(event['item']);
      else if (type === 'session.update') this.#toldToAnswer = detectionIn(event['session']) ?? this.#toldToAnswer;
      this.#toProvider(changed ? JSON.stringify(event) : bytes.toString('utf8'));
    } catch (error) {
      await this.#refuse(this.#client.call(), error, eventId);
    }
  }

  async #ask(event: JsonObject, eventId: string | undefined): Promise<void> {
    const { response } = event;
    if (isJsonObject(response)) this.#size.item({ ...response, content: response['input'] ?? [] });
    // By its id an error of the provider tells which response does not begin.
    const call = this.#client.call();
    const named = eventId ?? `event_${call.id.slice(call.id.indexOf('_') + 1)}`;
    const held = await this.#hold(call, named, eventId);
    if (held) this.#toProvider(JSON.stringify({ ...event, event_id: named }));
  }

  /** Sound is held for before it is heard, also what a speaker adds to what is held for already. */
  async #mayHear(sound: Json | undefined): Promise<boolean> {
    this.#size.sound(sound);
    if (!this.#answersByItself && !this.#toldToAnswer) return true;
    const isReady = await this.#readyToAnswer();
    if (!isReady) this.#size.soundRefused(sound);
    return isReady;
  }

  /** The provider may begin to answer at any moment once it hears something. */
  async #readyToAnswer(): Promise<boolean> {
    const held = this.#holds.first;
    if (held && (await growHold(held, this.#size.usage(), this.#gw)) && held.waiting) return true;
    // Asked anew and as a whole: the refusal tells whether wallet or cap, and what to do about it.
    if (held?.waiting) this.#holds.releaseFirst();
    if (!this.#holds.isEmpty) return true;
    if (this.#gw.clock.monotonicMs() < this.#notBefore) return false;
    return this.#hold(this.#client.call(), undefined, undefined);
  }

  async #hold(call: Call, named: string | undefined, eventId: string | undefined): Promise<boolean> {
    try {
      if (this.#holds.isFull)
        throw new GatewayError('rate_limited', { retryAfterMs: 1_000, reason: gatewayReasons.tooManyResponses });
      const key = await this.#client.authenticate(call);
      const hold = await holdForResponse(call, key, this.#modelId, this.#size.usage(), this.#target?.route, this.#gw);
      if (this.#over) {
        releaseHold(hold, this.#gw);
        return false;
      }
      this.#holds.add(hold, named);
      return true;
    } catch (error) {
      await this.#refuse(call, error, eventId);
      return false;
    }
  }

  #toProvider(text: string): void {
    const upstream = this.#upstream;
    if (!upstream || this.#over) return;
    if (upstream.waitingBytes > MAX_UNSENT_BYTES)
      throw new GatewayError('overloaded', { retryAfterMs: 2_000, cause: 'the provider reads too slowly' });
    upstream.send(text);
  }

  async #fromProvider(text: string): Promise<void> {
    const event = parseTrustedJson(text);
    if (!isJsonObject(event)) return;
    switch (event['type']) {
      case 'session.created':
      case 'session.updated':
        this.#noteSession(event['session']);
        return this.#send(JSON.stringify(withPublicModel(event, this.#modelId)));
      case 'response.created':
        return this.#begin(event);
      case 'response.done': {
        const reported = await this.#responses.finish(event);
        if (reported) this.#size.reported(reported);
        return undefined;
      }
      // The limits of the operator's account at the vendor.
      case 'rate_limits.updated':
        return undefined;
      case 'error':
        return this.#passError(event);
      default: {
        if (this.#unpaid.has(textOf(event['response_id']) ?? '')) return undefined;
        const piece = outputPieceOf(event);
        if (!piece || (await this.#responses.covers(piece, this.#soundPerSecond))) await this.#send(text);
        return undefined;
      }
    }
  }

  #noteSession(session: Json | undefined): void {
    if (!isJsonObject(session)) return;
    this.#size.settings(session);
    this.#answersByItself = answersByItself(session);
    this.#soundPerSecond = bytesPerSecond(session, 'output');
  }

  async #begin(event: JsonObject): Promise<void> {
    const response = isJsonObject(event['response']) ? event['response'] : {};
    const responseId = textOf(response['id']) ?? '';
    // The provider began by itself, without having heard anything new (its own timer): held for now, or stopped.
    if (this.#holds.isEmpty) await this.#hold(this.#client.call(), undefined, undefined);
    const hold = this.#holds.take();
    if (!hold || !this.#target || !this.#upstream) {
      this.#unpaid.add(responseId);
      this.#upstream?.send(JSON.stringify({ type: 'response.cancel', response_id: responseId }));
      return;
    }
    await this.#responses.begin(responseId, hold, this.#target, this.#upstream.via);
    // By this id its receipt is found, however it ends.
    await this.#send(JSON.stringify({ ...event, svc: { request_id: hold.call.id } }));
  }

  /** The codes of a provider are words of the protocol; its sentences are replaced. */
  async #passError(event: JsonObject): Promise<void> {
    const error = isJsonObject(event['error']) ? event['error'] : {};
    this.#holds.releaseOf(textOf(error['event_id']));
    const { language } = this.#client.call();
    const isFault = error['type'] === 'invalid_request_error';
    const shown = new GatewayError(isFault ? 'invalid_request' : 'upstream_error', {
      ...(isFault && { reason: gatewayReasons.providerRefused }),
    });
    await this.#send(JSON.stringify({ ...event, error: { ...withoutWords(error), message: shown.text(language) } }));
  }

  async #responseEnded(why: 'done' | 'unpaid' | 'stopped'): Promise<void> {
    if (why === 'stopped') await this.#sayStopped();
    // Whether wallet or cap, and what to do about it, is found by asking once more.
    if (why === 'unpaid') {
      const isPaid = await this.#hold(this.#client.call(), undefined, undefined);
      if (isPaid) this.#holds.releaseLast();
      this.#closing ||= !isPaid;
    }
    if (this.#over && this.#responses.count === 0) this.#upstream?.close();
    if (this.#closing && this.#responses.count === 0) this.#client.close(POLICY, 'refused');
  }

  /** The account was closed, or the process ends: whoever asks the key again learns which. */
  async #sayStopped(): Promise<void> {
    const call = this.#client.call();
    let error: unknown = new GatewayError('overloaded', { retryAfterMs: 1_000, cause: 'a response was stopped' });
    try {
      await this.#client.authenticate(call);
    } catch (refusal) {
      error = refusal;
    }
    await this.#refuse(call, error, undefined, true);
  }

  /** Nobody is served any longer whom the wallet, a cap or a rule refuses; a rate passes. */
  async #refuse(call: Call, error: unknown, eventId: string | undefined, isOpening = false): Promise<void> {
    const { shown, error: told } = await this.#client.explain(call, error);
    const { status } = shown;
    if (status === 429) this.#notBefore = this.#gw.clock.monotonicMs() + (shown.options.retryAfterMs ?? 1_000);
    const event = { type: 'error', event_id: `event_${call.id.slice(4)}` };
    const body = isJsonObject(told) ? { ...told, event_id: eventId ?? null } : told;
    await this.#client.send(JSON.stringify({ ...event, error: body }));
    if (!isOpening && status !== 401 && status !== 402 && status !== 403) return;
    this.#closing = true;
    if (this.#responses.count === 0) this.#client.close(status >= 500 ? BROKEN : POLICY, shown.code);
  }

  async #broken(reason: string): Promise<void> {
    const wasOver = this.#over;
    this.#over = true;
    this.#holds.releaseAll();
    await this.#responses.broken(reason);
    if (wasOver || this.#client.gone) return;
    await this.#refuse(this.#client.call(), errorInStream({ kind: 'truncated', message: reason }), undefined, true);
  }

  async #send(text: string): Promise<void> {
    if (this.#client.gone) return;
    const slow = this.#client.send(text);
    if (!slow) return;
    this.#upstream?.pause();
    await slow;
    this.#upstream?.resume();
  }

  async #failed(error: unknown): Promise<void> {
    await this.#refuse(this.#client.call(), error, undefined, true);
  }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
