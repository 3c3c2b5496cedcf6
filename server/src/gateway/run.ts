/**
 * One admitted request from hold to settlement. Whatever happens, `settle` runs exactly once: it is owned by the server and
 * never by the response stream, so a client that leaves can neither escape a charge nor leave a hold behind.
 */
import type { Hold } from '../admission/index.ts';
import type { Model } from '../catalog/index.ts';
import { GatewayError } from '../core/errors.ts';
import { type Money, ZERO } from '../core/money.ts';
import { costOf } from '../core/price.ts';
import { completionTokens, promptTokens, totalTokens, type Usage } from '../core/usage.ts';
import type { KeySnapshot } from '../keys/index.ts';
import { chargeOf, decideOutcome, type Ending } from '../ledger/index.ts';
import { Cancellation } from '../platform/upstream/index.ts';
import { type AttemptRecord, closedRecord, type RequestOpening } from '../requestlog/index.ts';
import type { Target } from '../routing/index.ts';
import type { Call } from './call.ts';
import type { Gateway } from './gateway.ts';
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

export class Run implements Running {
  readonly call: Call;
  readonly key: KeySnapshot;
  /** May become a fallback model of `svc.routing.models`. */
  model: Model;
  readonly opening: RequestOpening;
  readonly cancellation = new Cancellation();
  runningAt = -1;
  readonly attempts: AttemptRecord[] = [];
  plan: string[] = [];
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
  async begin(): Promise<void> {
    this.#gw.running.add(this);
    try {
      await this.#gw.journal.open(this.opening);
    } catch (error) {
      this.#gw.running.remove(this);
      this.#gw.admission.settle(this.#hold, { spent: ZERO, tokens: 0 });
      this.#settled = true;
      throw new GatewayError('overloaded', { retryAfterMs: 2_000, cause: error });
    }
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
    const gw = this.#gw;
    const outcome = decideOutcome({
      ended,
      finishSeen: production.finishSeen,
      generated: production.generated,
      delivered: production.delivered,
      reported: production.reported,
      counted: production.counted,
      chargeInterrupted: gw.settings.chargeInterrupted,
    });
    const { cost, formula } = chargeOf(outcome, this.model.price);
    const usage = outcome.usage ?? { buckets: {}, source: 'estimated' as const };
    this.opening.model = this.model.id;
    this.opening.priceVersion = this.model.price.version;
    const record = closedRecord(this.opening, {
      state: outcome.state,
      errorCode: error?.code ?? null,
      status: error?.status ?? 200,
      usage: outcome.usage,
      cost,
      formula,
      attempts: this.attempts,
      plan: this.plan,
      providerCost: this.#providerCost(usage, outcome.charge),
      provider: this.target?.route.provider.id ?? null,
      firstEventMs: this.firstEventMs,
      durationMs: Math.round(gw.clock.monotonicMs() - this.call.startedMs),
      counters: this.#counters,
      retrievedTokens: this.retrievedTokens,
      warnings: this.call.trail.warnings,
    });
    try {
      await gw.journal.close(record);
    } catch (failure) {
      gw.log.error({ requestId: this.call.id, err: failure }, 'journal refused a charge; it stays held in memory');
    } finally {
      gw.running.remove(this);
    }
    gw.admission.settle(this.#hold, { spent: cost, tokens: outcome.charge ? totalTokens(usage) : 0 });
    this.call.trail.cost = cost;
    this.call.trail.state = outcome.state;
    this.#learn(usage);
    gw.metrics.finished(record);
    return { usage, cost };
  }

  #providerCost(usage: Usage, charged: boolean): Money | null {
    const price = this.target?.route.cost;
    return price && charged ? costOf(price, usage) : null;
  }

  #learn(usage: Usage): void {
    if (usage.source !== 'upstream') return;
    this.#gw.history.learn(this.model.id, this.inputEstimate, promptTokens(usage), completionTokens(usage));
  }
}
