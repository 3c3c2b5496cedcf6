/**
 * A realtime session: what the client says goes to the provider, what the provider says goes to the client, and every response in
 * between is a paid request of its own. Money is held before a response may begin: when the client asks for one, or when it sends
 * sound to a provider that answers by itself. A session without responses holds nothing and costs nothing, and is opened only for
 * an account that could pay one.
 */
import { GatewayError } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import type { UpstreamSocket } from '../../platform/upstream/index.ts';
import {
  bytesPerSecond,
  checkedSession,
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
import { openUpstream } from './open-upstream.ts';
import type { RealtimeClient, RealtimeTerms } from './realtime-client.ts';
import { checkCanPay, realtimeModelOf } from './response-hold.ts';
import { ResponseMoney } from './response-money.ts';
import { RunningResponses } from './running-responses.ts';

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
  #responses: RunningResponses;
  #soundPerSecond = bytesPerSecond({}, 'output');
  readonly #money: ResponseMoney;
  /** Responses that the provider began although nothing could be held for them; they are cancelled. */
  readonly #unpaid = new Set<string>();
  #over = false;
  #closing = false;

  constructor(client: RealtimeClient, terms: RealtimeTerms, gw: Gateway) {
    this.#client = client;
    this.#terms = terms;
    this.#gw = gw;
    const refuse = (call: Call, error: unknown, eventId: string | undefined) => this.#refuse(call, error, eventId);
    this.#money = new ResponseMoney({ client, refuse, isOver: () => this.#over }, gw);
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

  /** The client has left: running responses are stopped, and charged as far as they came. */
  left(): void {
    this.#over = true;
    this.#money.releaseAll();
    this.#responses.left(() => this.#upstream?.close());
  }

  async #open(): Promise<void> {
    const call = this.#client.call();
    try {
      const key = await this.#client.authenticate(call);
      const model = realtimeModelOf(this.#terms.model, key, this.#gw, call.metadata);
      this.#modelId = model.id;
      await checkCanPay(call, key, model, this.#gw);
      const { socket, target } = await openUpstream(call, key, model, this.#gw);
      this.#upstream = socket;
      this.#target = target;
      this.#money.opened(model.id, model.context, target.route);
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
      if (!session) return;
      this.#money.settingsTold(session);
      socket.send(JSON.stringify({ type: 'session.update', session: checkedSession(session, model.id) }));
    } catch (error) {
      await this.#refuse(call, error, undefined, true);
    }
  }

  async #fromClient(bytes: Buffer): Promise<void> {
    if (this.#over || this.#closing || !this.#upstream) return;
    let eventId: string | undefined;
    try {
      const body = readJsonBody({ body: bytes, contentType: 'application/json' });
      eventId = textOf(body['event_id']);
      const { type, event, changed } = readRealtimeClientEvent(body, this.#modelId);
      if (type === 'response.create') {
        const named = await this.#money.forAsked(event, eventId);
        if (named !== undefined) this.#toProvider(JSON.stringify({ ...event, event_id: named }));
        return;
      }
      const isSound = type === 'input_audio_buffer.append';
      const mayPass = isSound ? await this.#money.mayHear(event['audio']) : await this.#money.maySay(type, event);
      if (mayPass) this.#toProvider(changed ? JSON.stringify(event) : bytes.toString('utf8'));
    } catch (error) {
      await this.#refuse(this.#client.call(), error, eventId);
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
        this.#noteSession(event['session'], event['type'] === 'session.updated');
        return this.#send(JSON.stringify(withPublicModel(event, this.#modelId)));
      case 'response.created':
        return this.#begin(event);
      case 'response.done': {
        const reported = await this.#responses.finish(event);
        if (reported) this.#money.reported(reported);
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

  #noteSession(session: Json | undefined, confirms: boolean): void {
    if (!isJsonObject(session)) return;
    this.#money.sessionIs(session, confirms);
    this.#soundPerSecond = bytesPerSecond(session, 'output');
  }

  async #begin(event: JsonObject): Promise<void> {
    const response = isJsonObject(event['response']) ? event['response'] : {};
    const responseId = textOf(response['id']) ?? '';
    const hold = await this.#money.take();
    if (!hold || !this.#target || !this.#upstream) {
      this.#unpaid.add(responseId);
      this.#upstream?.send(JSON.stringify({ type: 'response.cancel', response_id: responseId }));
      return;
    }
    await this.#responses.begin(responseId, hold, this.#target, this.#upstream.via);
    // The client finds the receipt by this id, however the response ends.
    await this.#send(JSON.stringify({ ...event, svc: { request_id: hold.call.id } }));
  }

  /** A provider's error codes belong to the protocol and pass; its sentences are replaced by ours. */
  async #passError(event: JsonObject): Promise<void> {
    const error = isJsonObject(event['error']) ? event['error'] : {};
    this.#money.releaseOf(textOf(error['event_id']));
    const { language } = this.#client.call();
    const isFault = error['type'] === 'invalid_request_error';
    const shown = new GatewayError(isFault ? 'invalid_request' : 'upstream_error', {
      ...(isFault && { reason: gatewayReasons.providerRefused }),
    });
    await this.#send(JSON.stringify({ ...event, error: { ...withoutWords(error), message: shown.text(language) } }));
  }

  async #responseEnded(why: 'done' | 'unpaid' | 'stopped'): Promise<void> {
    if (why === 'stopped') await this.#sayStopped();
    // A further reservation finds out whether wallet or cap refuses, and tells the client what to do.
    if (why === 'unpaid' && !(await this.#money.wouldPay())) this.#closing = true;
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
    const { shown, error: frame } = await this.#client.explain(call, error);
    const { status } = shown;
    if (status === 429) this.#money.waits(shown.options.retryAfterMs ?? 1_000);
    const event = { type: 'error', event_id: `event_${call.id.slice(4)}` };
    const body = isJsonObject(frame) ? { ...frame, event_id: eventId ?? null } : frame;
    await this.#client.send(JSON.stringify({ ...event, error: body }));
    if (!isOpening && status !== 401 && status !== 402 && status !== 403) return;
    this.#closing = true;
    if (this.#responses.count === 0) this.#client.close(status >= 500 ? BROKEN : POLICY, shown.code);
  }

  async #broken(reason: string): Promise<void> {
    const wasOver = this.#over;
    this.#over = true;
    this.#money.releaseAll();
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
