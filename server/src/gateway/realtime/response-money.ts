/**
 * The money of one realtime session for responses that have not begun: those that the client asked for, and answers to
 * audio, which the provider may begin at any moment.
 */
import type { Route } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { answersByItself, detectionIn } from '../../protocols/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { ConversationSize } from './conversation-size.ts';
import type { RealtimeClient } from './realtime-client.ts';
import { growHold, holdForResponse, type ResponseHold, releaseHold } from './response-hold.ts';
import { WaitingHolds } from './waiting-holds.ts';

/** The session, as far as its money needs it. */
interface MoneyOwner {
  client: RealtimeClient;
  isOver(): boolean;
  refuse(call: Call, error: unknown, eventId: string | undefined): Promise<void>;
}

export class ResponseMoney {
  readonly #owner: MoneyOwner;
  readonly #gw: Gateway;
  readonly #holds: WaitingHolds;
  #modelId = '';
  #route: Route | undefined;
  #size = new ConversationSize(undefined);
  #answersByItself = true;
  /** The client switched automatic answers on, and the provider has not confirmed it yet. */
  #toldToAnswer = false;
  /** Monotonic time until which audio is refused, since a rate limit of the key is used up. */
  #notBefore = 0;

  constructor(owner: MoneyOwner, gw: Gateway) {
    this.#owner = owner;
    this.#gw = gw;
    this.#holds = new WaitingHolds(gw);
  }

  opened(modelId: string, context: number | undefined, route: Route): void {
    this.#modelId = modelId;
    this.#size = new ConversationSize(context);
    this.#route = route;
  }

  /** The provider has reported the settings of the session; `confirms` what it was told. */
  sessionIs(session: JsonObject, confirms: boolean): void {
    this.#size.settings(session);
    if (confirms) this.#size.settingsConfirmed();
    this.#answersByItself = answersByItself(session);
  }

  reported(usage: Usage): void {
    this.#size.reported(usage);
  }

  /** The client secret brought settings, which the provider has been sent. */
  settingsTold(session: JsonObject): void {
    this.#size.settingsTold(session);
    this.#toldToAnswer = detectionIn(session) ?? this.#toldToAnswer;
  }

  /**
   * An event changes what the provider will read. False when that cannot be paid for, and the provider may answer it by
   * itself.
   */
  async maySay(type: string, event: JsonObject): Promise<boolean> {
    const { item, session } = event;
    if (type === 'input_audio_buffer.clear') this.#size.soundDropped();
    else if (type === 'conversation.item.create') this.#size.item(item);
    else if (type === 'session.update' && isJsonObject(session)) this.settingsTold(session);
    return this.#holds.isEmpty || !this.#mayAnswer || this.#readyToAnswer();
  }

  /** Holds money for a response that the client asks for. Returns the event id to send it under; undefined when it was refused. */
  async forAsked({ response }: JsonObject, eventId: string | undefined): Promise<string | undefined> {
    if (isJsonObject(response)) this.#size.item({ ...response, content: response['input'] ?? [] });
    // An error of the provider names this id, which tells the response that does not begin.
    const call = this.#owner.client.call();
    const named = eventId ?? `event_${call.id.slice(call.id.indexOf('_') + 1)}`;
    return (await this.#hold(call, named, eventId)) ? named : undefined;
  }

  /** Money for audio is held before the provider gets it, also for what a speaker adds to it. */
  async mayHear(sound: Json | undefined): Promise<boolean> {
    this.#size.sound(sound);
    if (!this.#mayAnswer) return true;
    const isReady = await this.#readyToAnswer();
    if (!isReady) this.#size.soundRefused(sound);
    return isReady;
  }

  /** The hold of a response that the provider has begun; undefined when nothing could be held for it. */
  async take(): Promise<ResponseHold | undefined> {
    // The provider began by itself without new input (its own timer): money is held now, or the response is stopped.
    if (this.#holds.isEmpty) await this.#hold(this.#owner.client.call(), undefined, undefined);
    return this.#holds.take();
  }

  /** Whether another response could be paid. If not, the client has been told why. */
  async wouldPay(): Promise<boolean> {
    const isPaid = await this.#hold(this.#owner.client.call(), undefined, undefined);
    if (isPaid) this.#holds.releaseLast();
    return isPaid;
  }

  /** A rate limit of the key is used up for this long. */
  waits(ms: number): void {
    this.#notBefore = this.#gw.clock.monotonicMs() + ms;
  }

  /** The provider does not begin what this message asked for. */
  releaseOf(eventId: string | undefined): void {
    this.#holds.releaseOf(eventId);
  }

  releaseAll(): void {
    this.#holds.releaseAll();
  }

  get #mayAnswer(): boolean {
    return this.#answersByItself || this.#toldToAnswer;
  }

  async #readyToAnswer(): Promise<boolean> {
    const held = this.#holds.first;
    if (held && !(await this.#grow(held))) return false;
    if (!this.#holds.isEmpty) return true;
    if (this.#gw.clock.monotonicMs() < this.#notBefore) return false;
    return this.#hold(this.#owner.client.call(), undefined, undefined);
  }

  /** A hold that cannot grow stays: the provider may begin what it has read so far. */
  async #grow(held: ResponseHold): Promise<boolean> {
    try {
      await growHold(held, this.#size.usage(), this.#gw);
      return true;
    } catch (error) {
      await this.#owner.refuse(this.#owner.client.call(), error, undefined);
      return false;
    }
  }

  async #hold(call: Call, named: string | undefined, eventId: string | undefined): Promise<boolean> {
    try {
      if (this.#holds.isFull)
        throw new GatewayError('rate_limited', { retryAfterMs: 1_000, reason: gatewayReasons.tooManyResponses });
      const key = await this.#owner.client.authenticate(call);
      const hold = await holdForResponse(call, key, this.#modelId, this.#size.usage(), this.#route, this.#gw);
      if (this.#owner.isOver()) {
        releaseHold(hold, this.#gw);
        return false;
      }
      this.#holds.add(hold, named);
      return true;
    } catch (error) {
      await this.#owner.refuse(call, error, eventId);
      return false;
    }
  }
}
