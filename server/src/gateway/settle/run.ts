/**
 * One admitted request from hold to settlement. Whatever happens, `settle` runs exactly once: it is owned by the server and
 * never by the response stream, so a client that leaves can neither escape a charge nor leave a hold behind.
 */
import type { Model } from '../../catalog/index.ts';
import { asGatewayError, GatewayError } from '../../core/errors.ts';
import { type Money, min, money, ZERO } from '../../core/money.ts';
import { savedByPromptCache } from '../../core/price.ts';
import type { RoutingTold } from '../../core/routing-told.ts';
import { completionTokens, emptyUsage, promptTokens, ranTools, totalTokens, type Usage } from '../../core/usage.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { chargeOf, chargeOfCached, decideOutcome, type Ending, limitCharge, type Outcome } from '../../ledger/index.ts';
import { Cancellation, type UpstreamCall } from '../../platform/upstream/index.ts';
import type { GuaranteeTold } from '../../protocols/index.ts';
import type { AttemptRecord, PassageRecord, RequestRecord, StartRecord } from '../../requestlog/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { affordableOutput } from '../price-of-tokens.ts';
import { atTier } from './at-tier.ts';
import { HeldMoney } from './held-money.ts';
import { endedRecord, startRecordOf, withoutOwnKey } from './record.ts';
import { NO_OUTPUT, type RequestOutput, type Settlement } from './request-output.ts';
import type { RunOptions } from './run-options.ts';
import type { Running } from './running.ts';
import { ThoughtTime } from './thought-time.ts';

const NOTHING_SHOWN = { reasoning: 0, all: 0 };
const NO_PASSAGES: PassageRecord[] = [];
/** Never added to. */
const NO_TAGS: string[] = [];
const NOT_TRACED = new Map<Target, string>();

export class Run implements Running {
  readonly call: Call;
  readonly key: KeySnapshot;
  /** May become a fallback model of `svc.routing.models`. */
  model: Model;
  readonly startRecord: StartRecord;
  readonly cancellation = new Cancellation();
  position = -1;
  attempts: AttemptRecord[] = [];
  readonly plan: string[];
  readonly told: RoutingTold | undefined;
  /** Tells each route its span, where the request is traced. */
  traceparents = NOT_TRACED;
  /** The route that answers. */
  target: Target | undefined;
  /** Attempts from here on go on with an answer that its provider broke off (chat/continued-answer.ts). */
  isContinuing = false;
  /** What the route that answered did, where others went on. */
  firstUsage: Usage | undefined;
  firstEventMs: number | null = null;
  retrievedTokens = 0;
  /** Never added to: the runs of requests without knowledge share the empty one. */
  passages: PassageRecord[] = NO_PASSAGES;
  readonly likelyInput: number;
  readonly thinksUnseen: boolean;
  readonly #asksNoThinking: boolean;
  readonly inputUsage: Usage;
  /** Monotonic: when the request was with a provider that has not failed, and when that began to answer. */
  #handedOverMs: number | undefined;
  #answeredMs: number | undefined;
  /** Monotonic: when the reader of a stream left. What comes later is not charged. */
  #leftMs: number | undefined;
  readonly #inputTokens: number;
  /** Monotonic instant that holds across attempts. */
  readonly deadlineAtMs: number;
  readonly money: HeldMoney;
  /** The spend counters that its charge is added to. */
  readonly counters: string[];
  readonly tags: string[];
  /** `hit`, `joined` or `miss`, where the response cache was asked. */
  responseCache: 'hit' | 'joined' | 'miss' | null = null;
  /** What an answer that was made before costs, in hundredths; undefined for one that a provider makes. */
  #cachedPercent: number | undefined;
  /** Hears once how the request ended; undefined for nearly every request. */
  whenSettled: ((outcome: Outcome) => void) | undefined;
  /** What became of the guarantee on its answer; undefined for nearly every request. */
  guarantee: GuaranteeTold | undefined;
  /** Shown every request to a provider before it is sent; undefined for nearly every request. */
  sending: ((target: Target, call: UpstreamCall) => void) | undefined;
  readonly #gw: Gateway;
  #settled = false;
  #settling = false;

  constructor(options: RunOptions, gw: Gateway) {
    const { call, key, model, hold } = options;
    this.call = call;
    this.key = key;
    this.model = model;
    this.likelyInput = options.likelyInput;
    this.#inputTokens = options.inputTokens;
    this.thinksUnseen = options.thinksUnseen;
    this.#asksNoThinking = options.asksNoThinking;
    this.inputUsage = options.inputUsage ?? { buckets: { inputFresh: options.likelyInput }, source: 'estimated' };
    this.money = new HeldMoney({
      requestId: call.id,
      first: hold,
      budgets: options.budgets,
      admission: gw.admission,
      log: gw.log,
    });
    this.counters = options.counters;
    this.plan = options.plan;
    this.told = options.told;
    this.tags = options.tags === undefined ? NO_TAGS : gw.tags.counted(key.account.id, options.tags);
    this.#gw = gw;
    if (call.trace) this.traceparents = new Map();
    this.deadlineAtMs = call.startedMs + gw.settings.totalDeadlineMs;
    this.startRecord = startRecordOf(call, key, options);
    call.metadata.model = model.id;
  }

  /** Journals the request before any provider is asked. */
  begin(): Promise<void> {
    this.#gw.running.add(this);
    return this.#gw.journal.open(this.startRecord).catch((error: unknown) => this.#neverBegan(error));
  }

  #neverBegan(cause: unknown): never {
    this.#gw.running.remove(this);
    this.money.settle(ZERO, 0);
    this.#settled = true;
    throw new GatewayError('overloaded', { retryAfterMs: 2_000, cause });
  }

  attempting(record: AttemptRecord): void {
    // An array that grows from empty reserves sixteen places, and nearly all requests have one attempt.
    if (this.attempts.length === 0) this.attempts = [record];
    else this.attempts.push(record);
  }

  /** A provider has the request: from here on its input is charged when the client leaves. */
  handedOver({ model }: Target): void {
    this.#handedOverMs ??= this.#gw.clock.monotonicMs();
    // With a customer's own key the same model has another price: whoever leaves now pays that of the key which was used.
    if (model.id === this.model.id) this.model = model;
  }

  /** That provider failed, which is no fault of the client's. */
  takenBack(): void {
    this.#handedOverMs = undefined;
  }

  /** The reader of a stream has gone. */
  left(): void {
    this.#leftMs ??= this.#gw.clock.monotonicMs();
  }

  /** When the reader left, or now. */
  get leftOrNowMs(): number {
    return this.#leftMs ?? this.#gw.clock.monotonicMs();
  }

  /** Watches how long the model of this stream thinks; undefined where all of it is to be seen. */
  watchThought(): ThoughtTime | undefined {
    if (!this.thinksUnseen || this.#handedOverMs === undefined || this.#answeredMs === undefined) return undefined;
    return new ThoughtTime(this.#answeredMs - this.#handedOverMs);
  }

  /** How much was thought and not shown in so long; no more than is held beside what was shown. */
  hiddenTokens(thoughtMs: number, shown: { reasoning: number; all: number }): number {
    if (!this.thinksUnseen || this.#asksNoThinking) return 0;
    const { settings, reasoningRates } = this.#gw;
    const usual = this.model.hiddenTokensPerSecond ?? settings.hiddenTokensPerSecond;
    const rate = reasoningRates.of(this.key.account.id, this.model.id, usual);
    const tokens = Math.round((rate * thoughtMs) / 1_000 - shown.reasoning);
    const affordable = affordableOutput(this.model, this.likelyInput, this.money.amount) - shown.all;
    return Math.max(0, Math.min(tokens, affordable));
  }

  /** Notes the proxy that carried this attempt; the operator's receipt shows it. */
  wentOut({ route }: Target, way: string): void {
    const record = this.attempts.findLast((one) => one.route === route.id && one.outcome === 'running');
    if (record) record.egress = way;
  }

  /** The commit point: this route answers, by its model's price. */
  commit(target: Target): void {
    this.target = target;
    this.model = target.model;
    this.#answeredMs = this.#gw.clock.monotonicMs();
    this.firstEventMs = Math.round(this.#answeredMs - this.call.startedMs);
  }

  /** The commit point of an answer that was made before: no provider is asked. `instead`: the route that would have been. */
  giveCached(how: 'hit' | 'joined', instead: Target, percent: number): void {
    this.noteCache(how);
    // Where that is a customer's own key, it is so much of the fee: given again it must not cost more than made anew.
    if (instead.model.id === this.model.id) this.model = instead.model;
    this.#cachedPercent = percent;
    this.firstEventMs = Math.round(this.#gw.clock.monotonicMs() - this.call.startedMs);
  }

  /** What the response cache said, so far. */
  noteCache(how: 'hit' | 'joined' | 'miss'): void {
    this.responseCache = how;
    this.call.metadata.cache = how;
  }

  get isCached(): boolean {
    return this.#cachedPercent !== undefined;
  }

  /** Ends the request without an answer and returns the error to show. */
  async fail(error: unknown): Promise<GatewayError> {
    const shown = asGatewayError(error);
    // Charged already: what failed is only the writing of the answer, and the error must say that.
    if (this.#settled) return shown;
    const ended: Ending = this.call.client.gone
      ? { by: 'client' }
      : shown.code === 'internal_error'
        ? { by: 'us' }
        : { by: 'upstream' };
    await this.settle(ended, { ...NO_OUTPUT, counted: () => this.#countUnanswered() }, shown);
    return shown;
  }

  /** Counts what a provider did for a client that left before the answer began. */
  #countUnanswered(): Usage {
    if (this.#handedOverMs === undefined) return this.inputUsage;
    const thought = new ThoughtTime(this.leftOrNowMs - this.#handedOverMs);
    const reasoning = this.hiddenTokens(thought.thoughtMs(this.leftOrNowMs), NOTHING_SHOWN);
    if (reasoning === 0) return this.inputUsage;
    return { ...this.inputUsage, buckets: { ...this.inputUsage.buckets, reasoning } };
  }

  /**
   * Decides the charge and makes it durable. After it the last byte may go out. A journal that cannot write leaves the hold
   * in place: the charge is then lost only with the process, and /readyz says so.
   */
  async settle(ended: Ending, output: RequestOutput, error?: GatewayError): Promise<Settlement> {
    if (this.#settled || this.#settling) throw new Error(`request ${this.call.id} was settled twice`);
    this.#settling = true;
    const outcome = this.#decide(ended, output);
    const price = this.model.soldAt ?? this.model.price;
    outcome.usage = atTier(outcome.usage, this.target?.tier, output.servedTier, price);
    const whole = chargeOf(outcome, price);
    const charge = this.#cachedPercent === undefined ? whole : chargeOfCached(whole, this.#cachedPercent);
    // A client that left pays at most what was held, because it can no longer be asked for more.
    const most =
      this.#leftMs !== undefined && ended.by === 'client' ? min(charge.cost, this.money.amount) : charge.cost;
    const asked = this.call.mayCharge !== undefined || most > this.money.amount;
    const payable = asked ? await this.#payable(most) : most;
    this.#settled = true;
    this.money.end();
    const durationMs = Math.round(this.#gw.clock.monotonicMs() - this.call.startedMs);
    const saved = this.#saved(outcome, whole.cost, charge.cost);
    const record = endedRecord(this, { outcome, charge: limitCharge(charge, payable), error, durationMs, saved });
    try {
      await this.#gw.journal.close(record);
    } catch (failure) {
      const context = { requestId: this.call.id, err: failure };
      this.#gw.log.error(context, 'journal refused a charge; it stays held in memory');
    } finally {
      this.#gw.running.remove(this);
    }
    return this.#close(outcome, record, output);
  }

  #saved({ charge, usage }: Outcome, whole: Money, cost: Money): Money {
    if (this.isCached) return money(whole - cost);
    return charge && usage ? savedByPromptCache(this.model.price, usage) : ZERO;
  }

  #decide(ended: Ending, output: RequestOutput): Outcome {
    return decideOutcome({
      ended,
      finishSeen: output.finishSeen,
      handedOver: this.#handedOverMs !== undefined,
      generated: output.generated,
      delivered: output.delivered,
      reported: output.reported,
      counted: output.counted,
      chargeInterrupted: this.#gw.settings.chargeInterrupted,
    });
  }

  /** What of its cost the request is charged. */
  async #payable(cost: Money): Promise<Money> {
    const { mayCharge } = this.call;
    if (cost > ZERO && mayCharge !== undefined && !(await mayCharge())) {
      this.#gw.log.warn({ requestId: this.call.id }, 'not charged: another replica answers under its Idempotency-Key');
      return ZERO;
    }
    return this.money.asFarAsPaid(cost);
  }

  #close(outcome: Outcome, record: RequestRecord, output: RequestOutput): Settlement {
    const { usage, charge, state } = outcome;
    const { cost } = record;
    const gw = this.#gw;
    this.money.settle(cost, usage && charge ? totalTokens(usage) : 0);
    this.call.metadata.cost = cost;
    this.call.metadata.state = state;
    if (usage && !this.isCached) this.#learn(usage, output);
    this.whenSettled?.(outcome);
    if (usage && this.target?.route.limits !== undefined)
      gw.router.spent(this.target, completionTokens(this.firstUsage ?? usage));
    gw.metrics.finished(record);
    const counted = this.told?.ownKey ? withoutOwnKey(record) : record;
    if (counted) gw.uptime.finished(counted);
    const { trace, body } = this.call;
    if (trace) gw.tracer?.finished(trace, record, body);
    return { usage: usage ?? emptyUsage('estimated'), cost };
  }

  #learn(usage: Usage, { thought }: RequestOutput): void {
    if (usage.source !== 'upstream') return;
    const lesson = this.#asksNoThinking ? undefined : thought?.(usage);
    if (lesson) this.#gw.reasoningRates.learn(this.key.account.id, this.model.id, lesson);
    // What tools found is read too: it says nothing about how long this account's prompts really are.
    if (ranTools(usage)) return;
    this.#gw.history.learn(this.key.account.id, this.model.id, {
      estimatedInput: this.#inputTokens,
      input: promptTokens(usage),
      output: completionTokens(usage),
    });
  }
}
