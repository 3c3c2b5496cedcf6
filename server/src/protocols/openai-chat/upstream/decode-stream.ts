/** Decodes chunks of a provider into canonical events. Every deviation it handles has a test of its name. */
import type { Finish } from '../../../core/chat.ts';
import type { ChatEvent } from '../../../core/events.ts';
import type { FailureKind } from '../../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { SseFrame, StreamDecoder } from '../../protocol.ts';
import { errorIn, inBandFailure } from '../../provider-error.ts';
import { decodeFinish } from '../finish.ts';
import { decodeUsage } from '../usage.ts';
import { ChoiceStream, type PartNumbers } from './choice-stream.ts';
import { responseExtras } from './decode-response.ts';

type Emit = (event: ChatEvent) => void;

/** The provider numbers choices; an absurd number must not make us allocate for it. */
const MAX_CHOICES = 128;

export class ChatStreamDecoder implements StreamDecoder {
  #started = false;
  #ended = false;
  #responseId: string | undefined;
  #serviceTier: string | undefined;
  readonly #choices: ChoiceStream[] = [];
  /** The choice of the last chunk. */
  #speaking: ChoiceStream | undefined;
  readonly #numbers: PartNumbers = { next: 0 };

  push(frame: SseFrame, emit: Emit): void {
    if (frame.data === '[DONE]') {
      this.#finishAll(emit);
      return;
    }
    const { json } = frame;
    const error = isJsonObject(json) ? errorIn(json) : undefined;
    if (error || frame.event === 'error') {
      emit({ type: 'failure', failure: inBandFailure(error ?? json ?? frame.data) });
    } else if (isJsonObject(json)) {
      this.#readChunk(json, emit);
    } else if (frame.data.trim() !== '') {
      fail('malformed', `a frame that is not a JSON object: ${frame.data.slice(0, 200)}`, emit);
    }
  }

  repeat(text: string): void {
    this.#speaking?.repeat(text);
  }

  /** Some providers never send [DONE]; an answer whose every choice gave its reason to stop is whole without it. */
  end(emit: Emit): void {
    if (this.#allFinished) this.#finishAll(emit);
  }

  get #allFinished(): boolean {
    return this.#choices.length > 0 && this.#choices.every(({ finish }) => finish !== undefined);
  }

  #readChunk(chunk: JsonObject, emit: Emit): void {
    const choices = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
    const usage = decodeUsage(chunk['usage']) ?? usageAside(chunk, choices);
    // Azure opens with a chunk that has neither id nor choices; an answer begins with the first that says something.
    if (choices.length > 0 || usage) this.#start(chunk, emit);
    for (const choice of choices) if (isJsonObject(choice)) this.#readChoice(choice, emit);
    if (typeof chunk['service_tier'] === 'string') this.#serviceTier = chunk['service_tier'];
    if (usage) emit({ type: 'usage-update', usage });
    // The usage chunk comes after everything else, so a provider that then forgets [DONE] keeps nobody waiting.
    if (usage && choices.length === 0 && this.#allFinished) this.#finishAll(emit);
  }

  #start(chunk: JsonObject, emit: Emit): void {
    if (this.#started) return;
    this.#started = true;
    const { id, model, created } = chunk;
    if (typeof id === 'string' && id !== '') this.#responseId = id;
    const { 'openai-chat': rest } = responseExtras(chunk) ?? {};
    const { obfuscation: _padding, ...kept } = rest ?? {};
    emit({
      type: 'response-start',
      ...(this.#responseId !== undefined && { id: this.#responseId }),
      ...(typeof model === 'string' && model !== '' && { model }),
      ...(typeof created === 'number' && { created }),
      ...(Object.keys(kept).length > 0 && { extras: { 'openai-chat': kept } }),
    });
  }

  #readChoice(wire: JsonObject, emit: Emit): void {
    const { error, delta, message, logprobs, finish_reason: reason } = wire;
    if (isJsonObject(error) || reason === 'error') {
      emit({
        type: 'failure',
        failure: inBandFailure(isJsonObject(error) ? error : 'the provider finished with an error'),
      });
      return;
    }
    const choice = this.#choice(wire['index']);
    if (!choice) {
      fail('malformed', 'a choice with an impossible index', emit);
      return;
    }
    this.#speaking = choice;
    // Perplexity repeats the whole message beside each delta; a message alone is an answer given in one piece.
    const news = isJsonObject(delta) ? delta : choice.isSilent && isJsonObject(message) ? message : undefined;
    if (news) choice.read(news, isJsonObject(logprobs) ? logprobs : undefined, this.#responseId, emit);
    choice.finish ??= decodeFinish(reason);
  }

  /** A missing index means the only choice there is. */
  #choice(index: Json | undefined): ChoiceStream | undefined {
    const number = typeof index === 'number' ? index : 0;
    if (!Number.isInteger(number) || number < 0 || number >= MAX_CHOICES) return undefined;
    while (this.#choices.length <= number) this.#choices.push(new ChoiceStream(this.#choices.length, this.#numbers));
    return this.#choices[number];
  }

  #finishAll(emit: Emit): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#choices.length === 0) {
      fail('empty', 'the stream ended without a choice in it', emit);
      return;
    }
    if (this.#choices.some(({ hasNamelessCall }) => hasNamelessCall)) {
      fail('malformed', 'a tool call without a name', emit);
      return;
    }
    const finishes: Finish[] = [];
    for (const choice of this.#choices) {
      choice.close(emit);
      // A terminator without a reason (Snowflake writes '') still ends the answer.
      finishes.push(choice.finish ?? { kind: 'stop' });
    }
    const tier = this.#serviceTier;
    emit({ type: 'response-end', finishes, ...(tier !== undefined && { serviceTier: tier }) });
  }
}

/** Groq keeps usage in an object of its own, Moonshot inside the choice. */
function usageAside(chunk: JsonObject, choices: readonly Json[]) {
  const groq = chunk['x_groq'];
  const groqUsage = isJsonObject(groq) ? decodeUsage(groq['usage']) : undefined;
  if (groqUsage) return groqUsage;
  for (const choice of choices) {
    if (isJsonObject(choice) && isJsonObject(choice['usage'])) return decodeUsage(choice['usage']);
  }
  return undefined;
}

function fail(kind: FailureKind, message: string, emit: Emit): void {
  emit({ type: 'failure', failure: { kind, message } });
}
