/**
 * Speech on the paid path. The text is charged in full once usable audio went out, whoever ends the answer, and not at
 * all before.
 */
import type { Answer } from '../../core/answer.ts';
import type { JsonObject } from '../../core/json.ts';
import { costOf } from '../../core/price.ts';
import { estimateSpeech, type SpeechRequest, speechUsage, speechUsageResponse } from '../../protocols/index.ts';
import { readJsonBody } from '../admit/read-body.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { Gateway } from '../gateway.ts';
import type { Asked, PaidEndpoint, PaidRequest } from '../paid/paid-endpoint.ts';
import { type BegunSpeech, speechQuestion } from './ask-speech.ts';
import { estimateAudio } from './audio-output.ts';
import { deliverAudioBytes } from './deliver-audio-bytes.ts';
import { deliverAudioEvents } from './deliver-audio-events.ts';

/** Decodes a body within the bound on the text's length. */
type DecodeSpeech = (body: JsonObject, maxCharacters: number) => SpeechRequest;

interface AskedSpeech extends Asked {
  readonly request: SpeechRequest;
}

export const speechEndpoint: PaidEndpoint<DecodeSpeech, AskedSpeech, BegunSpeech> = {
  kind: 'speech',
  read(call, _key, decode, { settings }) {
    const request = decode(readJsonBody(call), settings.maxSpeechCharacters);
    return { request, stream: request.stream === 'sse', stopsWhenGone: true };
  },
  estimate: ({ request }, { model }) =>
    estimateAudio(model, estimateSpeech(model.price, request.input, request.characters)),
  question: ({ asked }, target, gw) => speechQuestion(asked.request, target, gw),
  stream: { open: deliver },
};

function deliver(
  { asked: { request }, run }: PaidRequest<AskedSpeech>,
  winner: WinningAttempt<BegunSpeech>,
  gw: Gateway,
): Answer {
  const { begun } = winner;
  const { price } = run.model;
  const usageOf = (reported: Parameters<typeof speechUsage>[3]) =>
    speechUsage(price, request.input, request.characters, reported);
  if (begun.kind === 'events') {
    return deliverAudioEvents({ run, winner, events: begun.events, usageOf, usageResponse: speechUsageResponse }, gw);
  }
  const usage = usageOf(undefined);
  // Bytes have no last event for the cost, but characters are counted before the first byte.
  if (usage.source === 'upstream') run.call.metadata.cost = costOf(price, usage);
  return deliverAudioBytes({ run, winner, begun, usage }, gw);
}
