/** Tracks one attempt: keeps its line on the receipt and reports its outcome to the router. It ends once. */
import type { UpstreamFailure } from '../../core/failure.ts';
import { toTomanText } from '../../core/money.ts';
import { costOf } from '../../core/price.ts';
import { completionTokens, type Usage } from '../../core/usage.ts';
import type { Cancellation } from '../../platform/upstream/index.ts';
import { saysNoBalance } from '../../protocols/index.ts';
import type { AttemptRecord } from '../../requestlog/index.ts';
import type { Slot, Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { keepableMessage, MAX_CAUSE_CHARACTERS } from './keepable-message.ts';

export type AttemptEnd = 'ok' | 'aborted' | 'hedge-lost' | UpstreamFailure;

/** The winning attempt, held until its answer has ended. */
export interface WinningAttempt<Begun> {
  readonly begun: Begun;
  readonly target: Target;
  /** Completes the attempt's record and tells the router how it went. */
  done(end: AttemptEnd): void;
  /** Ends it as an answer that broke the guarantee and was not sold: the operator bears its cost. */
  broke(fault: string, usage: Usage): void;
  /** Records what it cost us, where it continued the answer of another route. */
  costs(usage: Usage): void;
}

/** The same attempt with another answer instead of its own. */
export function withBegun<Begun>(winner: WinningAttempt<unknown>, begun: Begun): WinningAttempt<Begun> {
  return {
    begun,
    target: winner.target,
    done: (end) => winner.done(end),
    broke: (fault, usage) => winner.broke(fault, usage),
    costs: (usage) => winner.costs(usage),
  };
}

/** The reason with which a hedged route is aborted when the other one has answered (hedge.ts). */
export const HEDGE_LOST = 'hedge lost';

/**
 * Outcome of an attempt whose answer broke the guarantee, where another one was sold. The nightly seal searches for it
 * (ledger/seal/walk-sql.ts).
 */
const BROKEN_ANSWER = 'broken-answer';

export class AttemptTracker<Begun> {
  readonly target: Target;
  begun: Begun | undefined;
  readonly #run: Run;
  readonly #gw: Gateway;
  readonly #record: AttemptRecord;
  #beganMs: number;
  #slot: Slot | undefined;
  #answered = false;
  #over = false;

  constructor(run: Run, target: Target, gw: Gateway) {
    this.#run = run;
    this.target = target;
    this.#gw = gw;
    this.#beganMs = gw.clock.monotonicMs();
    this.#record = {
      provider: target.route.provider.id,
      route: target.route.id,
      credential: target.credential?.id ?? '',
      outcome: 'running',
      status: null,
      startedAt: gw.clock.now(),
      firstEventMs: null,
      durationMs: 0,
      cause: null,
    };
    if (run.isContinuing) this.#record.continues = true;
    const { trace } = run.call;
    if (gw.tracer && trace) {
      this.#record.spanId = gw.tracer.newSpanId();
      run.traceparents.set(target, gw.tracer.traceparent(trace, this.#record.spanId));
    }
    run.attempting(this.#record);
  }

  /** A slot was free; the time spent waiting for it does not count as the provider's. */
  begin(slot: Slot): void {
    this.#beganMs = this.#gw.clock.monotonicMs();
    if (this.#over) slot.end('aborted');
    else this.#slot = slot;
  }

  status(status: number | null): void {
    this.#record.status = status;
  }

  /** Closes the loser's record at once, because the winner may be settled before the loser's socket closes. */
  mayLose(cancellation: Cancellation): void {
    cancellation.attach((reason) => {
      if (reason === HEDGE_LOST) this.done('hedge-lost');
    });
  }

  answered(begun: Begun): WinningAttempt<Begun> {
    this.begun = begun;
    if (!this.#over) {
      this.#answered = true;
      this.#record.status = 200;
      this.#record.firstEventMs = this.#elapsedMs();
      this.#slot?.answered(this.#record.firstEventMs, this.#run.startRecord.stream ? 'stream' : 'whole');
    }
    return this as WinningAttempt<Begun>;
  }

  /** Ends the attempt without having called the provider. */
  skip(cause: string): void {
    if (!this.#close('skipped')) return;
    this.#record.cause = cause.slice(0, MAX_CAUSE_CHARACTERS);
    this.#slot?.end('aborted');
  }

  done(end: AttemptEnd): void {
    if (!this.#close(typeof end === 'string' ? end : end.kind)) return;
    if (typeof end === 'object') {
      this.#record.status = end.status ?? this.#record.status;
      const secrets = this.target.route.provider.credentials.map(({ secret }) => secret);
      this.#record.cause = keepableMessage(end.message, this.#run.call.body, secrets);
      const isOperators = this.target.route.own === undefined;
      if (isOperators && end.kind === 'credential' && saysNoBalance(end)) this.#record.noBalance = true;
    }
    if (typeof end === 'object') this.#report(end);
    if (end === 'hedge-lost') this.#noteCost();
    this.#slot?.end(this.#healthOf(end));
    const { provider, own } = this.target.route;
    this.#gw.metrics.attempted(own ? 'own-key' : provider.id, this.#record.outcome);
  }

  broke(fault: string, usage: Usage): void {
    if (!this.#close(BROKEN_ANSWER)) return;
    this.#record.cause = fault.slice(0, MAX_CAUSE_CHARACTERS);
    const { cost, provider, own } = this.target.route;
    if (cost) this.#record.providerCost = toTomanText(costOf(cost, usage));
    this.#slot?.end('ok');
    this.#gw.metrics.attempted(own ? 'own-key' : provider.id, this.#record.outcome);
  }

  costs(usage: Usage): void {
    const { route } = this.target;
    if (route.cost) this.#record.providerCost = toTomanText(costOf(route.cost, usage));
    if (route.limits !== undefined) this.#gw.router.spent(this.target, completionTokens(usage));
  }

  /** Failures that an operator must know of; a justified refusal concerns only the client. */
  #report({ kind, code }: UpstreamFailure): void {
    if (kind === 'client-fault' || kind === 'context-too-long' || code === 'aborted') return;
    // Failures of a customer's own key are on its owner's receipt.
    if (this.target.route.own) return;
    const { provider, route, status, cause, egress, durationMs: ms } = this.#record;
    const { id: requestId } = this.#run.call;
    this.#gw.log.warn({ requestId, provider, route, status, kind, code, cause, egress, ms }, 'a provider failed');
  }

  #close(outcome: string): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#record.outcome = outcome;
    this.#record.durationMs = this.#elapsedMs();
    return true;
  }

  /**
   * What the router learns about the provider's health. Our own abort says nothing about it, nor does an answer that
   * outlived its request.
   */
  #healthOf(end: AttemptEnd): Parameters<Slot['end']>[0] {
    if (typeof end === 'string') return end === 'ok' ? 'ok' : 'aborted';
    if (end.code === 'aborted' || (end.code === 'deadline' && this.#answered)) return 'aborted';
    return end;
  }

  /** A provider never reports the cost of a broken answer; its input is certain and the least it will charge. */
  #noteCost(): void {
    const { cost } = this.target.route;
    if (!cost) return;
    const usage = { buckets: { inputFresh: this.#run.likelyInput }, source: 'estimated' as const };
    this.#record.providerCost = toTomanText(costOf(cost, usage));
  }

  #elapsedMs(): number {
    return Math.round(this.#gw.clock.monotonicMs() - this.#beganMs);
  }
}
