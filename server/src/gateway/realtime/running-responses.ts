/** The responses that a provider is making in one session: counted while they arrive, settled once each, however they end. */
import { after } from '../../core/clock.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { completionTokens, type Usage } from '../../core/usage.ts';
import type { Ending } from '../../ledger/index.ts';
import { type outputPieceOf, readRealtimeUsage, withCost } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { type AttemptEnd, AttemptTracker } from '../attempt/attempt-tracker.ts';
import type { Gateway } from '../gateway.ts';
import type { Settlement } from '../settle/request-output.ts';
import { endedByBlock } from '../settle/running.ts';
import { type ResponseHold, RunningResponse } from './response-hold.ts';

type OutputPiece = NonNullable<ReturnType<typeof outputPieceOf>>;

export interface ResponsesOwner {
  changed(count: number): void;
  send(text: string): Promise<void>;
  /** Asks the provider to stop. */
  cancel(responseId: string): void;
  /** `unpaid`: wallet or caps could pay for no more. `stopped`: we stopped it ourselves. */
  ended(why: 'done' | 'unpaid' | 'stopped'): Promise<void>;
}

interface Entry {
  response: RunningResponse;
  tracker: AttemptTracker<undefined>;
}

export class RunningResponses {
  readonly #gw: Gateway;
  readonly #owner: ResponsesOwner;
  readonly #running = new Map<string, Entry>();
  #hasLeft = false;

  constructor(gw: Gateway, owner: ResponsesOwner) {
    this.#gw = gw;
    this.#owner = owner;
  }

  get count(): number {
    return this.#running.size;
  }

  async begin(id: string, hold: ResponseHold, opened: Target, via: string | undefined): Promise<void> {
    const target: Target = { ...opened, model: hold.model };
    const response = new RunningResponse(hold, target, this.#gw);
    const { run } = response;
    try {
      await run.begin();
    } catch (error) {
      this.#owner.cancel(id);
      throw error;
    }
    const tracker = new AttemptTracker<undefined>(run, target, this.#gw);
    if (via !== undefined) run.wentOut(target, via);
    tracker.answered(undefined);
    run.handedOver(target);
    run.commit(target);
    this.#running.set(id, { response, tracker });
    this.#owner.changed(this.count);
    run.cancellation.attach(() => void this.#stop(id));
    after(this.#gw.clock, this.#gw.settings.totalDeadlineMs, () => void this.#stop(id));
    if (this.#hasLeft) run.left();
  }

  /** May this piece go out? */
  async covers(piece: OutputPiece, soundPerSecond: number): Promise<boolean> {
    const id = piece.responseId === '' ? (this.#running.keys().next().value ?? '') : piece.responseId;
    const entry = this.#running.get(id);
    // The response was given up, so what still comes of it is not charged.
    if (!entry) return false;
    const { response } = entry;
    if (response.overrun) return false;
    const [text, soundBytes] = 'text' in piece ? [piece.text, 0] : ['', piece.soundBytes];
    const covered = response.covers(text, soundBytes, soundPerSecond);
    if (covered === true || (await covered)) {
      if (!this.#hasLeft) response.delivered = true;
      return true;
    }
    response.overrun = true;
    this.#owner.cancel(id);
    // A provider that does not stop is not waited for.
    after(this.#gw.clock, this.#gw.settings.reportWaitMs, () => void this.#giveUp(id, { by: 'hold' }));
    return false;
  }

  /** Settles a response that the provider has ended, and tells the client its cost. Returns the reported usage. */
  async finish(event: JsonObject): Promise<Usage | undefined> {
    const body = isJsonObject(event['response']) ? event['response'] : {};
    const entry = this.#take(String(body['id'] ?? ''));
    if (!entry) return undefined;
    const { response } = entry;
    const reported = readRealtimeUsage(body['usage']);
    const ending = this.#endingOf(response, body['status'], reported);
    const settlement = await this.#settle(entry, ending, reported, true);
    await this.#owner.send(JSON.stringify(withCost(event, response.run.call.id, settlement.cost)));
    // Called only here, because a process that shuts down closes connections without a running response.
    this.#owner.changed(this.count);
    await this.#owner.ended(response.overrun ? 'unpaid' : 'done');
    return reported;
  }

  /** The provider gets a moment to report what it has made. */
  left(allEnded: () => void): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    if (this.count === 0) {
      allEnded();
      return;
    }
    for (const [id, { response }] of this.#running) {
      response.run.left();
      this.#owner.cancel(id);
    }
    after(this.#gw.clock, this.#gw.settings.reportWaitMs, () => {
      const ends = [...this.#running.keys()].map((id) => this.#giveUp(id, { by: 'client' }));
      void Promise.all(ends).then(allEnded);
    });
  }

  /** The provider's side has closed. */
  async broken(reason: string): Promise<void> {
    const failure = { kind: 'truncated' as const, message: reason };
    for (const id of [...this.#running.keys()]) {
      const entry = this.#take(id);
      if (!entry) continue;
      const ending: Ending = this.#hasLeft ? { by: 'client' } : { by: 'upstream' };
      await this.#settle(entry, ending, undefined, false, this.#hasLeft ? 'aborted' : failure);
    }
    this.#owner.changed(this.count);
  }

  /** The process shuts down, the account was blocked, or the provider took too long. */
  async #stop(id: string): Promise<void> {
    const entry = this.#take(id);
    if (!entry) return;
    this.#owner.cancel(id);
    await this.#settle(entry, endedByBlock(entry.response.run) ? { by: 'block' } : { by: 'us' }, undefined, false);
    await this.#owner.ended('stopped');
    this.#owner.changed(this.count);
  }

  async #giveUp(id: string, ending: Ending): Promise<void> {
    const entry = this.#take(id);
    if (!entry) return;
    await this.#settle(entry, ending, undefined, false);
    if (ending.by === 'hold') await this.#owner.ended('unpaid');
    this.#owner.changed(this.count);
  }

  #take(id: string): Entry | undefined {
    const entry = this.#running.get(id);
    if (!entry) return undefined;
    this.#running.delete(id);
    return entry;
  }

  /** A client that cancels a response, by a message or by speaking, has had it begun: the provider bills its input. */
  #endingOf(response: RunningResponse, status: JsonObject[string], reported: Usage | undefined): Ending {
    if (this.#hasLeft) return { by: 'client' };
    if (response.overrun) return { by: 'hold' };
    if (status === 'cancelled') return { by: 'client' };
    return status === 'failed' && !reported ? { by: 'upstream' } : { by: 'finish' };
  }

  #settle(
    { response, tracker }: Entry,
    ending: Ending,
    reported: Usage | undefined,
    finishSeen: boolean,
    end: AttemptEnd = finishSeen ? 'ok' : 'aborted',
  ): Promise<Settlement> {
    tracker.done(end);
    const { run, delivered } = response;
    const generated = response.generated || (reported !== undefined && completionTokens(reported) > 0);
    return run.settle(ending, {
      finishSeen,
      generated,
      delivered,
      reported,
      counted: () => response.counted(),
    });
  }
}
