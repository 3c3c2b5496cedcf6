/**
 * Frames of `streamGenerateContent?alt=sse`. There is no terminal frame: an answer is whole when every candidate gave its
 * reason to finish and the connection closed. The reason alone is no end, since some models repeat it in every frame.
 */
import type { Finish } from '../../../core/chat.ts';
import type { ChatEvent } from '../../../core/events.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { SseFrame, StreamDecoder } from '../../protocol.ts';
import { StreamUsage } from '../usage.ts';
import { CandidateReader, choiceOf } from './candidate.ts';
import { errorIn, failureOf } from './decode-failure.ts';

type Emit = (event: ChatEvent) => void;

export class AnswerDecoder implements StreamDecoder {
  readonly #usage = new StreamUsage();
  readonly #candidates = new Map<number, CandidateReader>();
  #started = false;
  #answerId = '';
  #parts = 0;
  #calls = 0;
  #blockReason: string | undefined;

  push(frame: SseFrame, emit: Emit): void {
    if (frame.json === undefined && frame.data.trim() === '') return;
    this.pushBody(frame.json, emit);
  }

  pushBody(body: Json | undefined, emit: Emit): void {
    const error = errorIn(body);
    if (error) {
      emit({ type: 'failure', failure: failureOf(error) });
      return;
    }
    if (!isJsonObject(body)) {
      emit({ type: 'failure', failure: { kind: 'malformed', message: 'a frame that is no JSON object' } });
      return;
    }
    this.#start(body, emit);
    const candidates = Array.isArray(body['candidates']) ? body['candidates'] : [];
    for (const [position, candidate] of candidates.entries()) {
      if (isJsonObject(candidate)) this.#reader(choiceOf(candidate, position)).push(candidate, emit);
    }
    const feedback = body['promptFeedback'];
    if (isJsonObject(feedback) && typeof feedback['blockReason'] === 'string')
      this.#blockReason = feedback['blockReason'];
    const metadata = body['usageMetadata'];
    if (isJsonObject(metadata)) emit({ type: 'usage-update', usage: this.#usage.add(metadata) });
  }

  end(emit: Emit): void {
    const readers = [...this.#candidates.values()];
    if (readers.length > 0 ? readers.every((reader) => reader.isFinished) : this.#blockReason !== undefined) {
      this.close(emit);
    }
  }

  get hasAnswer(): boolean {
    return this.#candidates.size > 0 || this.#blockReason !== undefined;
  }

  /** Ends the answer whether or not a reason came, because a whole body is never cut. */
  close(emit: Emit): void {
    const finishes: Finish[] = [];
    for (const [choice, reader] of this.#candidates) finishes[choice] = reader.close(emit);
    // The prompt itself was refused, so there is a reason and no candidate.
    if (this.#candidates.size === 0) finishes[0] = { kind: 'content-filter', raw: this.#blockReason ?? 'OTHER' };
    emit({ type: 'response-end', finishes: Array.from(finishes, (finish) => finish ?? { kind: 'stop' }) });
  }

  #start(body: JsonObject, emit: Emit): void {
    if (this.#started) return;
    this.#started = true;
    const { responseId, modelVersion } = body;
    this.#answerId = typeof responseId === 'string' && responseId !== '' ? responseId : fingerprint(body);
    emit({
      type: 'response-start',
      ...(typeof responseId === 'string' && { id: responseId }),
      ...(typeof modelVersion === 'string' && { model: modelVersion }),
    });
  }

  #reader(choice: number): CandidateReader {
    let reader = this.#candidates.get(choice);
    if (!reader) {
      reader = new CandidateReader(choice, {
        nextPart: () => this.#parts++,
        nextCallId: () => callId(this.#answerId, this.#calls++),
      });
      this.#candidates.set(choice, reader);
    }
    return reader;
  }
}

/**
 * The answer's own id makes the call's id unique over a conversation, where equal ids of two turns would mix up results.
 * Only letters every protocol takes; 64 characters are the shortest bound among them.
 */
function callId(answerId: string, number: number): string {
  return `call_${answerId.replace(/[^A-Za-z0-9-]/g, '').slice(-40)}_${number}`;
}

/** For answers without an id (older proxies): FNV-1a over the first frame, whose counters differ from turn to turn. */
function fingerprint(body: JsonObject): string {
  const text = JSON.stringify(body);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
