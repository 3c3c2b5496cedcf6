/**
 * Step 9 of a request that may be answered from the response cache. Rules, limits and the hold have been passed like
 * for any other request; a cached answer is delivered and charged like that of a provider, at the price of the setting
 * (ADR 0070).
 */
import { afterUnless } from '../../core/clock.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { Outcome } from '../../ledger/index.ts';
import type { ClaimedAnswer } from '../../responsecache/index.ts';
import type { Target } from '../../routing/index.ts';
import type { CacheTerms } from '../admit/cache-of.ts';
import type { RequestPlan } from '../admit/plan.ts';
import { attemptRoutes } from '../attempt/attempt-routes.ts';
import { type WinningAttempt, withBegun } from '../attempt/attempt-tracker.ts';
import type { Asker } from '../attempt/question.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import type { Asked, CachedAnswers, PaidRequest, Recording } from './paid-endpoint.ts';

interface Attempted<A extends Asked, Begun> {
  paid: PaidRequest<A>;
  plan: RequestPlan;
  endpoint: Asker<PaidRequest<A>, Begun> & { cached?: CachedAnswers<A, Begun> };
}

export async function attemptCached<A extends Asked, Begun>(
  attempted: Attempted<A, Begun>,
  { keepMs }: CacheTerms,
  gw: Gateway,
): Promise<WinningAttempt<Begun>> {
  const { paid, plan, endpoint } = attempted;
  const { run } = paid;
  const { cached } = endpoint;
  const ask = () => attemptRoutes(paid, plan.targets, endpoint, gw);
  if (!cached) return ask();
  const digest = cached.digest(paid, plan);
  const request = { accountId: run.key.account.id, digest, keepMs, deadlineAtMs: run.deadlineAtMs };
  const claimed = await unlessLeft(gw.responseCache.claim(request), run, gw);
  if (claimed?.kind === 'first') return makeAndKeep(attempted, cached, claimed, gw);
  if (claimed?.kind === 'made-now') run.noteCache('joined');
  const text = claimed?.kind === 'made-now' ? await unlessEnded(claimed.ended, run, gw) : claimed?.text;
  const begun = text === undefined ? undefined : cached.read(text);
  if (begun === undefined) {
    // The maker has failed, or this client has left: the request does not wait a second time.
    run.noteCache('miss');
    return ask();
  }
  const target = plan.targets[0] as Target;
  run.giveCached(claimed?.kind === 'hit' ? 'hit' : 'joined', target, gw.settings.cachePricePercent);
  const nothing = () => undefined;
  return { begun, target, done: nothing, broke: nothing, costs: nothing };
}

/** Claiming may wait for another replica. A claim that comes after the request has ended is released. */
function unlessLeft(
  claiming: MaybePromise<ClaimedAnswer>,
  run: Run,
  gw: Gateway,
): MaybePromise<ClaimedAnswer | undefined> {
  if (!(claiming instanceof Promise)) return claiming;
  return unlessEnded(claiming, run, gw, (late) => {
    if (late.kind === 'first') late.done(undefined);
  });
}

/** Returns undefined when the request is cancelled or times out before there is a value. */
function unlessEnded<T>(
  waiting: Promise<T>,
  { cancellation, deadlineAtMs }: Run,
  { clock }: Gateway,
  tooLate: (value: T) => void = () => undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (value: T | undefined): void => {
      isOver = true;
      stopTimer();
      cancellation.detach(leave);
      resolve(value);
    };
    const leave = (): void => {
      if (!isOver) end(undefined);
    };
    const stopTimer = afterUnless(clock, Math.max(0, deadlineAtMs - clock.monotonicMs()), leave);
    cancellation.attach(leave);
    waiting.then((value) => (isOver ? tooLate(value) : end(value)), leave);
  });
}

async function makeAndKeep<A extends Asked, Begun>(
  { paid, plan, endpoint }: Attempted<A, Begun>,
  cached: CachedAnswers<A, Begun>,
  { done }: Extract<ClaimedAnswer, { kind: 'first' }>,
  gw: Gateway,
): Promise<WinningAttempt<Begun>> {
  const { run } = paid;
  let recording: Recording<Begun> | undefined;
  run.noteCache('miss');
  // However the request ends, the claim is settled once, and waiting requests are told.
  const keep = (outcome: Outcome): void => done(keepableText(outcome, recording));
  run.whenSettled = keep;
  const winner = await attemptRoutes(paid, plan.targets, endpoint, gw);
  // An equal request would not get the answer of a fallback model.
  if (winner.target.model.id !== plan.model.id) return winner;
  recording = cached.record(winner.begun, gw);
  return withBegun(winner, recording.begun);
}

function keepableText<Begun>(
  { state, charge, usage }: Outcome,
  recording: Recording<Begun> | undefined,
): string | undefined {
  return state === 'completed' && charge && usage ? recording?.text(usage) : undefined;
}
