/**
 * THE REQUEST PATH of every chat protocol. It reads top to bottom; the numbers are those of ARCHITECTURE.md:
 *
 *   1 identify (http)  2 authenticate  3 key rules  4 decode  5 resolve  6 plan  7 admit  8 knowledge
 *   9 attempt  10 commit and stream  11 settle  12 post (background, ledger/poster.ts)
 */
import type { Model } from '../../catalog/index.ts';
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import type { ChatRequest } from '../../core/chat.ts';
import { after } from '../../core/clock.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { ClientView, Reference } from '../../protocols/index.ts';
import { type Admitted, admit } from '../admit/admit.ts';
import { affordableByOne, type Estimate, inputOf } from '../admit/estimate.ts';
import { estimateRequest } from '../admit/estimate-request.ts';
import { reserveFree } from '../admit/free.ts';
import { checkBeforeParsing } from '../admit/large-body.ts';
import { type ChatPlan, planChat } from '../admit/plan.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { answerCaller } from '../admit/replay.ts';
import { resolveRequest } from '../admit/resolve.ts';
import { asksNoThinking, showsItsOutput } from '../admit/visible-output.ts';
import { attemptRoutes } from '../attempt/attempt-routes.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { AskRoute } from '../attempt/try-route.ts';
import { withTimeout } from '../attempt/with-timeout.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { outputPrice } from '../price-of-tokens.ts';
import { Run } from '../settle/run.ts';
import { askChat, type Prompt } from './ask-chat.ts';
import { type Delivery, deliverStream, settleWhole, wholeAnswer } from './deliver-chat.ts';
import { deliverLate } from './deliver-late.ts';
import { dryRun } from './dry-run.ts';
import { keptAnswer } from './keep-texts.ts';
import { asksKnowledge, groundRequest, NO_KNOWLEDGE, openKnowledge } from './knowledge.ts';
import type { BegunAnswer } from './open-reply.ts';
import { OutputAllowance } from './output-allowance.ts';

const NO_REFERENCES: Reference[] = [];
/**
 * Our cautious count of an answer is up to 1.43 times the provider's (Persian, ADR 0008). With this factor only an answer that
 * really exceeds its limit is cut.
 */
const TOLD_LIMIT_SLACK = 1.6;
/** Before its first word no report is near: waiting longer would only let the model think on at the operator's expense. */
const WORDLESS_WAIT_MS = 500;

export function answerChat(call: Call, protocol: ClientProtocol, gw: Gateway): Promise<Answer> {
  return answerCaller(call, gw, (key) => answerOnce(call, key, protocol, gw)); // 2, 3
}

async function answerOnce(call: Call, key: KeySnapshot, protocol: ClientProtocol, gw: Gateway): Promise<Answer> {
  const checking = checkBeforeParsing(call, key, gw);
  if (checking) await checking;
  const sent = readJsonBody(call); // 4
  const body = protocol.prepare ? await protocol.prepare(sent, key) : sent;
  const request = protocol.client.decodeRequest(body);
  if (key.rules.streamUsage === 'always') request.includeUsage ??= true;
  if (request.svc.dryRun) {
    await reserveFree(call, key, gw);
    return jsonAnswer(await dryRun(request, key, { language: call.language, before: [] }, gw));
  }

  const model = resolveRequest('chat', request, key, gw.catalog.current(), call.metadata); // 5
  const knowledge = asksKnowledge(request) ? await openKnowledge(request, key, gw) : NO_KNOWLEDGE;

  const plan = planChat(request, model, key, gw); // 6

  const estimating = estimateRequest(request, plan, key, knowledge.budgetTokens, gw); // 7
  const estimate = estimating instanceof Promise ? await estimating : estimating;
  const admitting = admit(call, key, model, estimate, request.sampling.count ?? 1, gw);
  const admitted = admitting instanceof Promise ? await admitting : admitting;
  const run = openRun(call, key, plan, request, estimate, admitted, gw);
  await run.begin();
  try {
    if (protocol.whenAdmitted) await protocol.whenAdmitted(viewOf(run, request, protocol));
    run.plan = plan.explanation;
    const grounded = knowledge === NO_KNOWLEDGE ? undefined : await groundRequest(request, knowledge, run, gw); // 8
    // A stream that nobody reads is stopped at once. A whole answer is finished, since the provider charges it anyway, and so
    // is one with an Idempotency-Key: its reader will come back for it.
    if (request.stream && call.idempotencyKey === undefined) stopWhenGone(run, gw);
    const prompt: Prompt = {
      request: grounded?.request ?? request,
      media: undefined,
      relayBody: protocol.translated || (grounded && grounded.request !== request) ? undefined : body,
      clientProtocol: protocol.client.protocol,
      outputLimit: admitted.outputLimit,
    };
    const ask: AskRoute<BegunAnswer> = (target, cancellation) => askChat({ run, target, cancellation }, prompt, gw);
    const committing = attemptRoutes(run, plan.targets, ask, gw); // 9
    const view = (): ClientView => viewOf(run, request, protocol);
    const deliveryOf = (winner: WinningAttempt<BegunAnswer>): Delivery => ({
      run,
      winner,
      protocol,
      view: view(),
      references: grounded?.references ?? NO_REFERENCES,
      allowance: () => allowanceOf(run, estimate, gw),
      notes: admitted.clamped ? [`output limited to ${admitted.outputLimit} tokens by the balance`] : undefined,
    });
    if (request.stream) {
      const first = await withTimeout(committing, timeoutOf(call, gw)); // 10, 11
      if (first !== 'slow') return keptAnswer(deliverStream(deliveryOf(first), gw), call, key, gw);
      const late = deliverLate({ run, protocol, view, delivery: committing.then(deliveryOf) }, gw);
      return keptAnswer(late, call, key, gw);
    }
    const delivery = deliveryOf(await committing);
    const settlement = await settleWhole(delivery); // 11
    return keptAnswer(wholeAnswer(delivery, settlement, gw), call, key, gw); // 10
  } catch (error) {
    throw await run.fail(error);
  }
}

/** How much longer the client's connection may stay without a byte. */
function timeoutOf({ startedMs }: Call, { clock, settings }: Gateway): number {
  return Math.max(0, startedMs + settings.keepaliveMs - clock.monotonicMs());
}

/** A model that thinks unseen is given a moment to end and report: nobody else knows what it has thought. */
function stopWhenGone(run: Run, { clock, settings }: Gateway): void {
  const stop = (): void => run.cancellation.cancel('client gone');
  run.call.client.onGone(() => {
    run.left();
    if (!run.thinksUnseen) return stop();
    const { reportWaitMs } = settings;
    after(clock, run.target ? reportWaitMs : Math.min(WORDLESS_WAIT_MS, reportWaitMs), stop);
  });
}

function openRun(
  call: Call,
  key: KeySnapshot,
  plan: ChatPlan,
  request: ChatRequest,
  estimate: Estimate,
  admitted: Admitted,
  gw: Gateway,
): Run {
  return new Run(
    {
      call,
      key,
      model: plan.models[0] as Model,
      hold: admitted.hold,
      counters: admitted.counters,
      budgets: admitted.budgets,
      stream: request.stream,
      user: request.user,
      inputTokens: estimate.inputTokens,
      likelyInput: estimate.likelyInput,
      thinksUnseen: plan.targets.some((target) => !showsItsOutput(request, target, gw.upstreamProtocols)),
      asksNoThinking: plan.targets.every((target) => asksNoThinking(request, target, gw.upstreamProtocols)),
    },
    gw,
  );
}

/** How much output is paid for, by the price of the model that answers. */
function allowanceOf(run: Run, estimate: Estimate, { settings }: Gateway): OutputAllowance {
  const { model } = run;
  // Where the provider was told the limit, our count only catches one that does not keep to it.
  const slack = estimate.growing ? 1 : TOLD_LIMIT_SLACK;
  return new OutputAllowance({
    held: Math.floor(affordableByOne(estimate, model, run.money.amount) * slack),
    stepTokens: settings.holdStepTokens,
    price: outputPrice(model, inputOf(estimate, model)),
    hold: (amount) => run.money.add(amount),
  });
}

function viewOf(run: Run, request: ChatRequest, protocol: ClientProtocol): ClientView {
  const { call } = run;
  return {
    requestId: call.id,
    // The request id without its prefix: one id is enough to find everything.
    responseId: protocol.responseIdPrefix + call.id.slice(call.id.indexOf('_') + 1),
    model: run.model.id,
    created: Math.floor(call.receivedAt / 1000),
    inputEstimate: run.likelyInput,
    language: call.language,
    request,
  };
}
