/**
 * THE REQUEST PATH of every endpoint that is charged: chat, embeddings, rerank, moderation,
 * images, speech, transcription. It reads top to bottom; the numbers
 * are those of ARCHITECTURE.md:
 *
 *   1 identify (http)  2 authenticate  3 key rules  4 decode  5 resolve  6 plan  7 admit  8 prepare (knowledge)
 *   9 attempt  10 commit and deliver  11 settle  12 post (background, ledger/poster.ts)
 *
 * What an endpoint gives stands in paid-endpoint.ts. Whatever is there at once is not awaited: a promise for each step would cost a
 * small chat more than the step (docs/performance.md).
 */
import type { Answer } from '../../core/answer.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Ending } from '../../ledger/index.ts';
import { type Admitted, admit } from '../admit/admit.ts';
import { authenticate } from '../admit/authenticate.ts';
import type { Estimate } from '../admit/estimate.ts';
import { checkBeforeParsing } from '../admit/large-body.ts';
import { planModel, type RequestPlan } from '../admit/plan.ts';
import { answerOrReplay } from '../admit/replay.ts';
import { resolveRequest } from '../admit/resolve.ts';
import { attemptRoutes } from '../attempt/attempt-routes.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import { tryRoute } from '../attempt/try-route.ts';
import { withTimeout } from '../attempt/with-timeout.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { Run } from '../settle/run.ts';
import { attemptCached } from './attempt-cached.ts';
import { attemptGuaranteed } from './attempt-guaranteed.ts';
import type { Asked, PaidEndpoint, PaidRequest } from './paid-endpoint.ts';

const FINISHED: Ending = { by: 'finish' };

export function runPaidRequest<Source, A extends Asked, Begun>(
  call: Call,
  endpoint: PaidEndpoint<Source, A, Begun>,
  source: Source,
  gw: Gateway,
): Promise<Answer> {
  const caller = authenticate(call, gw); // 2, 3
  if (caller instanceof Promise) return caller.then((key) => answerOnce(call, key, endpoint, source, gw));
  return answerOnce(call, caller, endpoint, source, gw);
}

/** For a known caller: runs once, where the request names an Idempotency-Key. */
export function answerOnce<Source, A extends Asked, Begun>(
  call: Call,
  key: KeySnapshot,
  endpoint: PaidEndpoint<Source, A, Begun>,
  source: Source,
  gw: Gateway,
): Promise<Answer> {
  const { idempotencyKey } = call;
  if (idempotencyKey === undefined) return answerPaid(call, key, endpoint, source, gw);
  return answerOrReplay(call, idempotencyKey, key, gw, () => answerPaid(call, key, endpoint, source, gw));
}

/** Steps 4 to 11, also for requests of the gateway itself in an account's name (embed-texts.ts). */
export async function answerPaid<Source, A extends Asked, Begun, Result>(
  call: Call,
  key: KeySnapshot,
  endpoint: PaidEndpoint<Source, A, Begun, Result>,
  source: Source,
  gw: Gateway,
): Promise<Result> {
  const checking = checkBeforeParsing(call, key, gw);
  if (checking) await checking;
  const reading = endpoint.read(call, key, source, gw); // 4
  const asked = reading instanceof Promise ? await reading : reading;
  const free = endpoint.answerFree?.(asked, call, key, gw);
  if (free) return free;

  const model =
    endpoint.chooseModel?.(asked, call, key, gw) ??
    resolveRequest(endpoint, asked.request, key, gw.catalog.current(), call.metadata); // 5
  const planning = endpoint.plan
    ? endpoint.plan(asked, model, key, gw)
    : planModel(model, key, asked.request.svc.routing, gw); // 6
  const plan = planning instanceof Promise ? await planning : planning;

  const estimating = endpoint.estimate(asked, plan, key, gw); // 7
  const estimate = estimating instanceof Promise ? await estimating : estimating;
  const admitting = admit(call, key, plan.model, estimate, gw);
  const admitted = admitting instanceof Promise ? await admitting : admitting;
  const run = openRun(call, key, asked, plan, estimate, admitted, gw);
  await run.begin();
  try {
    const paid: PaidRequest<A> = { asked, run, estimate, admitted, targets: plan.targets, askRoute: tryRoute };
    const preparing = endpoint.prepare?.(paid, gw); // 8
    if (preparing) await preparing;
    if (asked.stopsWhenGone && call.idempotencyKey === undefined) stopWhenGone(run, endpoint, gw);

    const committing = asked.cache
      ? attemptCached({ paid, plan, endpoint }, asked.cache, gw)
      : asked.judged
        ? attemptGuaranteed(paid, plan.targets, endpoint, gw)
        : attemptRoutes(paid, plan.targets, endpoint, gw); // 9
    const { stream, whole } = endpoint;
    let winner: WinningAttempt<Begun>;
    if (asked.stream && stream?.late) {
      const first = await withTimeout(committing, timeoutOf(call, gw));
      if (first === 'slow') return stream.late(paid, committing, gw);
      winner = first;
    } else winner = await committing;
    const streamed = stream?.open(paid, winner, gw); // 10, and 11 at its end
    if (streamed) return streamed;
    if (!whole) throw new Error(`${call.endpoint} has no delivery for a whole answer`);
    winner.done('ok');
    const settlement = await run.settle(FINISHED, whole.produced(paid, winner.begun)); // 11
    return whole.answer(paid, winner, settlement, gw); // 10
  } catch (error) {
    throw await run.fail(error);
  }
}

function openRun(
  call: Call,
  key: KeySnapshot,
  { request, stream }: Asked,
  plan: RequestPlan,
  estimate: Estimate,
  { hold, counters, budgets }: Admitted,
  gw: Gateway,
): Run {
  return new Run(
    {
      call,
      key,
      model: plan.model,
      hold,
      counters,
      budgets,
      stream,
      user: request.user,
      tags: request.svc.tags,
      inputTokens: estimate.inputTokens,
      likelyInput: estimate.likelyInput,
      inputUsage: estimate.inputUsage,
      thinksUnseen: plan.thinksUnseen,
      asksNoThinking: plan.asksNoThinking,
      plan: plan.explanation,
      told: plan.told,
    },
    gw,
  );
}

/** How much longer the client's connection may stay silent. */
function timeoutOf({ startedMs }: Call, { clock, settings }: Gateway): number {
  return Math.max(0, startedMs + settings.keepaliveMs - clock.monotonicMs());
}

function stopWhenGone(run: Run, endpoint: { readerLeft?(run: Run, gw: Gateway): void }, gw: Gateway): void {
  const { client } = run.call;
  client.onGone(() => {
    // The answer goes on without this connection (chat/resumable.ts).
    if (run.call.client !== client) return;
    if (endpoint.readerLeft) endpoint.readerLeft(run, gw);
    else run.cancellation.cancel('client gone');
  });
}
