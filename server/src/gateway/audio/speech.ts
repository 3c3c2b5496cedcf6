/**
 * The request path of speech: the numbered steps of chat.ts. The text is charged in full once usable audio went out, whoever
 * ends the answer, and not at all before.
 */

import type { Answer } from '../../core/answer.ts';
import { costOf } from '../../core/price.ts';
import {
  decodeSpeechRequest,
  estimateSpeech,
  type SpeechRequest,
  speechUsage,
  speechUsageResponse,
} from '../../protocols/index.ts';
import { admit } from '../admit/admit.ts';
import { checkBeforeParsing } from '../admit/large-body.ts';
import { planModel } from '../admit/plan.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { answerCaller } from '../admit/replay.ts';
import { resolveRequest } from '../admit/resolve.ts';
import { attemptRoutes } from '../attempt/attempt-routes.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { Run } from '../settle/run.ts';
import { askSpeech, type BegunSpeech } from './ask-speech.ts';
import { estimateAudio } from './audio-output.ts';
import { deliverAudioBytes } from './deliver-audio-bytes.ts';
import { deliverAudioEvents } from './deliver-audio-events.ts';

/** `decode` is handed the bound on the text's length. */
export function answerSpeech(call: Call, gw: Gateway, decode = decodeSpeechRequest): Promise<Answer> {
  return answerCaller(call, gw, async (key) => {
    const checking = checkBeforeParsing(call, key, gw);
    if (checking) await checking;
    const request = decode(readJsonBody(call), gw.settings.maxSpeechCharacters);
    const model = resolveRequest('speech', request, key, gw.catalog.current(), call.metadata);
    const plan = planModel(model, key, request.svc.routing, gw);
    const inputUsage = estimateSpeech(model.price, request.input, request.characters);
    const estimate = estimateAudio(model, inputUsage);
    const { hold, counters, budgets } = await admit(call, key, model, estimate, 1, gw);
    const { user } = request;
    const { inputTokens, likelyInput } = estimate;
    const run = new Run(
      {
        call,
        key,
        model,
        hold,
        counters,
        budgets,
        stream: request.stream === 'sse',
        user,
        inputTokens,
        likelyInput,
        inputUsage,
      },
      gw,
    );
    await run.begin();
    try {
      run.plan = plan.explanation;
      if (call.idempotencyKey === undefined) call.client.onGone(() => run.cancellation.cancel('client gone'));
      const winner = await attemptRoutes(
        run,
        plan.targets,
        (target, cancellation) => askSpeech({ run, target, cancellation }, request, gw),
        gw,
      );
      return deliver(run, request, winner, gw);
    } catch (error) {
      throw await run.fail(error);
    }
  });
}

function deliver(run: Run, request: SpeechRequest, winner: WinningAttempt<BegunSpeech>, gw: Gateway): Answer {
  const { begun } = winner;
  const { price } = run.model;
  const usageOf = (reported: Parameters<typeof speechUsage>[3]) =>
    speechUsage(price, request.input, request.characters, reported);
  if (begun.kind === 'events') {
    return deliverAudioEvents({ run, winner, events: begun.events, usageOf, usageResponse: speechUsageResponse }, gw);
  }
  const usage = usageOf(undefined);
  // Bytes have no last event to carry the cost; what is counted by character is known before the first of them.
  if (usage.source === 'upstream') run.call.metadata.cost = costOf(price, usage);
  return deliverAudioBytes({ run, winner, begun, usage }, gw);
}
