/** Chat of every client protocol on the paid path (paid/run-paid-request.ts). */
import type { Model } from '../../catalog/index.ts';
import { type Answer, jsonAnswer, type StreamAnswer } from '../../core/answer.ts';
import { after } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { ClientView } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { autoOf } from '../admit/auto-choice.ts';
import { affordableByOne, type Estimate, inputOf } from '../admit/estimate.ts';
import { estimateRequest } from '../admit/estimate-request.ts';
import { reserveFree } from '../admit/free.ts';
import { planChat, type RequestPlan } from '../admit/plan.ts';
import { checkCapabilities } from '../admit/resolve.ts';
import { type WinningAttempt, withBegun } from '../attempt/attempt-tracker.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import type { PaidEndpoint } from '../paid/paid-endpoint.ts';
import { runPaidRequest } from '../paid/run-paid-request.ts';
import { outputPrice } from '../price-of-tokens.ts';
import type { Run } from '../settle/run.ts';
import { chatQuestion } from './ask-chat.ts';
import { canBeContinued } from './begun-turn.ts';
import { cachedChats } from './cached-chat.ts';
import { ContinuedAnswer } from './continued-answer.ts';
import { type Delivery, deliverStream, producedWhole, wholeAnswer } from './deliver-chat.ts';
import { deliverLate } from './deliver-late.ts';
import { dryRun } from './dry-run.ts';
import { judgeAnswer } from './judge-answer.ts';
import { keptAnswer } from './keep-texts.ts';
import { asksKnowledge, groundRequest, NO_KNOWLEDGE, openKnowledge } from './knowledge.ts';
import type { BegunAnswer } from './open-reply.ts';
import { OutputAllowance } from './output-allowance.ts';
import { markPrompt } from './prompt-cache.ts';
import { type AskedChat, type PaidChat, readChatRequest } from './read-chat.ts';
import { resumable } from './resumable.ts';
import { checkResume } from './resume-of.ts';
import { echoOf } from './upstream-echo.ts';

/**
 * Our cautious count of an answer is up to 1.43 times the provider's (Persian, ADR 0008). With this factor only an answer that
 * really exceeds its limit is cut.
 */
const TOLD_LIMIT_SLACK = 1.6;
/**
 * Before its first token no usage report is near: waiting longer would only let the model reason at the operator's
 * expense.
 */
const WORDLESS_WAIT_MS = 500;

const CONTINUED_NOTE = 'continued by another route: its provider broke off';

export function answerChat(call: Call, protocol: ClientProtocol, gw: Gateway): Promise<Answer> {
  return runPaidRequest(call, chatEndpoint, protocol, gw);
}

const chatEndpoint: PaidEndpoint<ClientProtocol, AskedChat, BegunAnswer> = {
  kind: 'chat',
  read: readChatRequest,
  answerFree: ({ request }, call, key, gw) => (request.svc.dryRun ? answerDryRun(request, call, key, gw) : undefined),
  checkModel: checkCapabilities,
  chooseModel,
  plan,
  estimate(asked, routes, key, gw) {
    if (key.rules.promptCache) asked.marked = markPrompt(asked, routes, key, gw);
    // Writing into a provider's cache costs more than reading, so it is held for.
    const { request, knowledge, marked } = asked;
    return estimateRequest(marked?.prompt ?? request, routes, key, knowledge.budgetTokens, gw);
  },
  prepare,
  readerLeft,
  question: chatQuestion,
  cached: cachedChats,
  judge: judgeAnswer,
  stream: {
    open: (paid, winner, gw) =>
      paid.asked.stream ? onItsWay(deliverStream(deliveryOf(paid, winner, gw), gw), paid, gw) : undefined,
    late(paid, committing, gw) {
      const { asked, run } = paid;
      const delivery = committing.then((winner) => deliveryOf(paid, winner, gw));
      const late = { run, protocol: asked.protocol, view: () => viewOf(run, asked), delivery };
      return onItsWay(deliverLate(late, gw), paid, gw);
    },
  },
  whole: {
    produced: ({ run }, begun) => producedWhole(run, begun),
    answer: (paid, winner, settlement, gw) => kept(wholeAnswer(deliveryOf(paid, winner, gw), settlement, gw), paid, gw),
  },
};

async function answerDryRun(request: AskedChat['request'], call: Call, key: KeySnapshot, gw: Gateway): Promise<Answer> {
  await reserveFree(call, key, gw);
  return jsonAnswer(await dryRun(request, key, { language: call.language, before: [] }, gw));
}

function chooseModel(asked: AskedChat, call: Call, key: KeySnapshot, gw: Gateway): Model | undefined {
  const choice = autoOf(asked.request, key, gw, call.metadata);
  if (choice) asked.auto = choice;
  return choice?.models[0];
}

function plan(asked: AskedChat, model: Model, key: KeySnapshot, gw: Gateway): MaybePromise<RequestPlan> {
  const { request } = asked;
  checkResume(request);
  if (!asksKnowledge(request)) return planChat(request, model, key, gw, asked.auto);
  return openKnowledge(request, key, gw).then((knowledge) => {
    asked.knowledge = knowledge;
    return planChat(request, model, key, gw, asked.auto);
  });
}

/** The answer tells what its provider was sent. */
function echoing({ asked, run }: PaidChat): void {
  const echoes = new Map<Target, JsonObject>();
  asked.echoes = echoes;
  const keepEcho: typeof run.sending = (target, call) => echoes.set(target, echoOf(call, target.route.provider));
  run.sending = keepEcho;
}

/** Returns undefined for nearly every chat: nothing must be stored before it is sent, and it uses no knowledge base. */
function prepare(paid: PaidChat, gw: Gateway): Promise<void> | undefined {
  const { protocol, knowledge, request } = paid.asked;
  if (request.svc.debug) echoing(paid);
  return protocol.whenAdmitted || knowledge !== NO_KNOWLEDGE ? storeAndGround(paid, gw) : undefined;
}

async function storeAndGround({ asked, run }: PaidChat, gw: Gateway): Promise<void> {
  const { request, protocol, knowledge } = asked;
  if (protocol.whenAdmitted) await protocol.whenAdmitted(viewOf(run, asked));
  if (knowledge === NO_KNOWLEDGE) return;
  const grounded = await groundRequest(request, knowledge, run, gw);
  asked.references = grounded.references;
  if (grounded.request === request) return;
  asked.prompt = grounded.request;
  asked.relayBody = undefined;
}

/** A model that reasons unseen gets a moment to end and report: nobody else knows how much it reasoned. */
function readerLeft(run: Run, { clock, settings }: Gateway): void {
  const stop = (): void => run.cancellation.cancel('client gone');
  run.left();
  const { reportWaitMs } = settings;
  if (run.thinksUnseen) after(clock, run.target ? reportWaitMs : Math.min(WORDLESS_WAIT_MS, reportWaitMs), stop);
  else stop();
}

function deliveryOf(paid: PaidChat, winner: WinningAttempt<BegunAnswer>, gw: Gateway): Delivery {
  const { asked, run, estimate, admitted } = paid;
  const delivery: Delivery = {
    run,
    winner,
    protocol: asked.protocol,
    view: viewOf(run, asked),
    references: asked.references,
    upstream: asked.echoes?.get(winner.target),
    allowance: () => allowanceOf(run, estimate, gw),
    notes: admitted.clamped ? [`output limited to ${admitted.outputLimit} tokens by the balance`] : undefined,
  };
  if (asked.continues) continueAfterCut(delivery, paid, gw);
  return delivery;
}

/** Where the answer breaks off another route continues it: the delivery still reads one stream. */
function continueAfterCut(delivery: Delivery, paid: PaidChat, gw: Gateway): void {
  const { winner } = delivery;
  const { begun } = winner;
  if (begun.kind !== 'stream' || !canBeContinued(paid)) return;
  const note = (): void => {
    delivery.notes = [...(delivery.notes ?? []), CONTINUED_NOTE];
  };
  const stream = new ContinuedAnswer(paid, winner, begun, note, gw);
  // Frames are encoded anew: those of two providers do not fit together.
  const joined: BegunAnswer = { kind: 'stream', stream, first: stream.first, relayed: false };
  delivery.winner = { ...withBegun(winner, joined), done: (end) => stream.done(end) };
}

function kept<A extends Answer>(answer: A, { run }: PaidChat, gw: Gateway): A {
  return keptAnswer(answer, run.call, run.key, gw);
}

/** A stream as it goes out: what is kept of it is chosen once, and nothing is asked per frame. */
function onItsWay(answer: StreamAnswer, paid: PaidChat, gw: Gateway): StreamAnswer {
  const { run, asked } = paid;
  const { protocol, resume } = asked;
  const ours = kept(answer, paid, gw);
  const stored = protocol.keepStream ? protocol.keepStream(ours) : ours;
  return resume ? resumable(stored, resume, { run, protocol, view: viewOf(run, asked) }, gw) : stored;
}

/** How much output is paid for, at the price of the model that answers. */
function allowanceOf(run: Run, estimate: Estimate, { settings }: Gateway): OutputAllowance {
  const { model } = run;
  // Where the provider was sent the limit, our count only catches one that exceeds it.
  const slack = estimate.growing ? 1 : TOLD_LIMIT_SLACK;
  return new OutputAllowance({
    // A cached answer is delivered whole: it costs less than what is held.
    held: run.isCached
      ? Number.MAX_SAFE_INTEGER
      : Math.floor(affordableByOne(estimate, model, run.money.amount) * slack),
    stepTokens: settings.holdStepTokens,
    price: outputPrice(model, inputOf(estimate, model)),
    hold: (amount) => run.money.add(amount),
  });
}

function viewOf(run: Run, { request, protocol }: AskedChat): ClientView {
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
