/**
 * One admitted request from hold to settlement. Whatever happens, `settle` runs exactly once: it is owned by the server and
 * never by the response stream, so a client that leaves can neither escape a charge nor leave a hold behind.
 */
import type { Hold } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { type Money, ZERO } from '../../core/money.ts';
import { costOf } from '../../core/price.ts';
import { completionTokens, emptyUsage, promptTokens, totalTokens, type Usage } from '../../core/usage.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { chargeOf, decideOutcome, type Ending, type Outcome } from '../../ledger/index.ts';
import { Cancellation } from '../../platform/upstream/index.ts';
import { type AttemptRecord, closedRecord, type RequestOpening, type RequestRecord } from '../../requestlog/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import type { Running } from './running.ts';

/** What was produced and delivered, as the meter of the endpoint knows it. */
export interface Production {
  finishSeen: boolean;
  generated: boolean;
  delivered: boolean;
  reported: Usage | undefined;
  counted: () => Usage;
}

export interface Settlement {
  usage: Usage;
  cost: Money;
}

export interface RunOptions {
  call: Call;
  key: KeySnapshot;
  model: Model;
  hold: Hold;
  counters: string[];
  stream: boolean;
  user: string | undefined;
  inputEstimate: number;
}

const NOTHING_PRODUCED: Production = {
  finishSeen: false,
  generated: false,
  delivered: false,
  reported: undefined,
  counted: () => ({ buckets: {}, source: 'estimated' }),
};

const NOT_TRACED = new Map<Target, string>();

export class Run implements Running {
  readonly call: Call;
  readonly key: KeySnapshot;
  /** May become a fallback model of `svc.routing.models`. */
  model: Model;
  readonly opening: RequestOpening;
  readonly cancellation = new Cancellation();
  runningAt = -1;
  attempts: AttemptRecord[] = [];
  plan: string[] = [];
  /** Of a traced request: what each route is told of its span. */
  traceparents = NOT_TRACED;
  /** The route that answers. */
  target: Target | undefined;
  firstEventMs: number | null = null;
  retrievedTokens = 0;
  readonly inputEstimate: number;
  /** Monotonic instant that holds across attempts. */
  readonly deadlineAtMs: number;
  readonly #hold: Hold;
  readonly #counters: string[];
  readonly #gw: Gateway;
  #settled = false;

  constructor(options: RunOptions, gw: Gateway) {
    const { call, key, model, hold } = options;
    this.call = call;
    this.key = key;
    this.model = model;
    this.inputEstimate = options.inputEstimate;
    this.#hold = hold;
    this.#counters = options.counters;
    this.#gw = gw;
    if (call.trace) this.traceparents = new Map();
    this.deadlineAtMs = call.startedMs + gw.settings.totalDeadlineMs;
    this.opening = {
      id: call.id,
      createdAt: call.receivedAt,
      accountId: key.account.id,
      keyId: key.id,
      endpoint: call.endpoint,
      model: model.id,
      stream: options.stream,
      held: hold.amount,
      priceVersion: model.price.version,
      user: options.user ?? null,
      budgets: hold.budgets,
    };
    call.trail.model = model.id;
  }

  /** Journals the request before any provider is asked. */
  begin(): Promise<void> {
    this.#gw.running.add(this);
    return this.#gw.journal.open(this.opening).catch((error: unknown) => this.#neverBegan(error));
  }

  #neverBegan(cause: unknown): never {
    this.#gw.running.remove(this);
    this.#gw.admission.settle(this.#hold, { spent: ZERO, tokens: 0 });
    this.#settled = true;
    throw new GatewayError('overloaded', { retryAfterMs: 2_000, cause });
  }

  attempting(record: AttemptRecord): void {
    // An array filled from empty takes room for sixteen; nearly all requests have one attempt.
    if (this.attempts.length === 0) this.attempts = [record];
    else this.attempts.push(record);
  }

  /** The commit point: this route answers, by its model's price. */
  commit(target: Target): void {
    this.target = target;
    this.model = target.model;
    this.firstEventMs = Math.round(this.#gw.clock.monotonicMs() - this.call.startedMs);
  }

  /** Ends the request without an answer and returns the error to show. */
  async fail(error: unknown): Promise<GatewayError> {
    const shown = error instanceof GatewayError ? error : new GatewayError('internal_error', { cause: error });
    // Charged already: what failed is only the writing of the answer, and the error must say that.
    if (this.#settled) return shown;
    const ended: Ending = this.call.client.gone
      ? { by: 'client' }
      : shown.code === 'internal_error'
        ? { by: 'us' }
        : { by: 'upstream', failure: 'server' };
    await this.settle(ended, NOTHING_PRODUCED, shown);
    return shown;
  }

  /**
   * Decides the charge and makes it durable. After it the last byte may go out. A journal that cannot write leaves the hold
   * in place: the charge is then lost only with the process, and /readyz says so.
   */
  async settle(ended: Ending, production: Production, error?: GatewayError): Promise<Settlement> {
    if (this.#settled) throw new Error(`request ${this.call.id} was settled twice`);
    this.#settled = true;
    const outcome = this.#decide(ended, production);
    const record = this.#recordOf(outcome, error);
    try {
      await this.#gw.journal.close(record);
    } catch (failure) {
      const context = { requestId: this.call.id, err: failure };
      this.#gw.log.error(context, 'journal refused a charge; it stays held in memory');
    } finally {
      this.#gw.running.remove(this);
    }
    return this.#close(outcome, record);
  }

  #decide(ended: Ending, production: Production): Outcome {
    return decideOutcome({
      ended,
      finishSeen: production.finishSeen,
      generated: production.generated,
      delivered: production.delivered,
      reported: production.reported,
      counted: production.counted,
      chargeInterrupted: this.#gw.settings.chargeInterrupted,
    });
  }

  #recordOf(outcome: Outcome, error: GatewayError | undefined): RequestRecord {
    const { price } = this.model;
    const { cost, formula } = chargeOf(outcome, price);
    this.opening.model = this.model.id;
    this.opening.priceVersion = price.version;
    return closedRecord(this.opening, {
      state: outcome.state,
      errorCode: error?.code ?? null,
      status: error?.status ?? 200,
      usage: outcome.usage,
      cost,
      formula,
      attempts: this.attempts,
      plan: this.plan,
      providerCost: this.#providerCost(outcome),
      provider: this.target?.route.provider.id ?? null,
      firstEventMs: this.firstEventMs,
      durationMs: Math.round(this.#gw.clock.monotonicMs() - this.call.startedMs),
      counters: this.#counters,
      retrievedTokens: this.retrievedTokens,
      warnings: this.call.trail.warnings,
    });
  }

  #close({ usage, charge, state }: Outcome, record: RequestRecord): Settlement {
    const { cost } = record;
    const gw = this.#gw;
    gw.admission.settle(this.#hold, { spent: cost, tokens: usage && charge ? totalTokens(usage) : 0 });
    this.call.trail.cost = cost;
    this.call.trail.state = state;
    if (usage) this.#learn(usage);
    gw.metrics.finished(record);
    const { trace, body } = this.call;
    if (trace) gw.tracer?.finished(trace, record, body);
    return { usage: usage ?? emptyUsage('estimated'), cost };
  }

  #providerCost({ usage, charge }: Outcome): Money | null {
    const price = this.target?.route.cost;
    return price && charge ? costOf(price, usage ?? emptyUsage('estimated')) : null;
  }

  #learn(usage: Usage): void {
    if (usage.source !== 'upstream') return;
    this.#gw.history.learn(this.model.id, this.inputEstimate, promptTokens(usage), completionTokens(usage));
  }
}
