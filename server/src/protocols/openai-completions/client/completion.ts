/** An answer of the chat protocol as the old completions protocol writes it. */
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../../core/json.ts';
import { writeFrame } from '../../sse.ts';

const OBJECT = 'text_completion';

export function completionOf(chat: JsonObject): JsonObject {
  const offsets = new Map<number, number>();
  return { ...chat, object: OBJECT, choices: choicesOf(chat).map((choice) => wholeChoice(choice, offsets)) };
}

function wholeChoice(
  { index, message, logprobs, finish_reason }: JsonObject,
  offsets: Map<number, number>,
): JsonObject {
  const text = isJsonObject(message) ? textOf(message) : '';
  return {
    text,
    index: index ?? 0,
    logprobs: logprobsOf(logprobs, Number(index ?? 0), offsets),
    finish_reason: finish_reason ?? null,
  };
}

/** Converts the frames of a chat stream to this protocol; frames without an equivalent are left out. */
export class CompletionFrames {
  readonly #offsets = new Map<number, number>();

  convert(frames: string): string {
    if (frames === '') return '';
    let converted = '';
    for (const frame of frames.split('\n\n')) {
      if (frame === '') continue;
      converted += this.#convertOne(frame);
    }
    return converted;
  }

  #convertOne(frame: string): string {
    const data = frame.startsWith('data: ') ? frame.slice('data: '.length) : undefined;
    const chunk = data === undefined || data === '[DONE]' ? undefined : parseTrustedJson(data);
    // Keep-alives, the end and errors look the same in both.
    if (!isJsonObject(chunk) || chunk['error'] !== undefined) return `${frame}\n\n`;
    const before = choicesOf(chunk);
    const choices = before.flatMap((choice) => this.#delta(choice));
    if (before.length > 0 && choices.length === 0) return '';
    return writeFrame(JSON.stringify({ ...chunk, object: OBJECT, choices }));
  }

  #delta({ index, delta, logprobs, finish_reason }: JsonObject): JsonObject[] {
    const text = isJsonObject(delta) ? textOf(delta) : '';
    if (text === '' && (finish_reason ?? null) === null) return [];
    const at = Number(index ?? 0);
    return [
      { text, index: at, logprobs: logprobsOf(logprobs, at, this.#offsets), finish_reason: finish_reason ?? null },
    ];
  }
}

function textOf({ content, refusal }: JsonObject): string {
  return typeof content === 'string' ? content : typeof refusal === 'string' ? refusal : '';
}

function choicesOf({ choices }: JsonObject): JsonObject[] {
  return Array.isArray(choices) ? choices.filter(isJsonObject) : [];
}

/** `offsets` says where in its choice's text the next token begins. */
function logprobsOf(logprobs: Json | undefined, choice: number, offsets: Map<number, number>): JsonObject | null {
  const content = isJsonObject(logprobs) ? logprobs['content'] : undefined;
  if (!Array.isArray(content)) return null;
  const tokens = content.filter(isJsonObject);
  return {
    tokens: tokens.map(({ token }) => token ?? ''),
    token_logprobs: tokens.map(({ logprob }) => logprob ?? null),
    top_logprobs: tokens.map(({ top_logprobs: top }) => topOf(top)),
    text_offset: tokens.map(({ token }) => {
      const offset = offsets.get(choice) ?? 0;
      offsets.set(choice, offset + String(token ?? '').length);
      return offset;
    }),
  };
}

function topOf(top: Json | undefined): JsonObject {
  const listed = Array.isArray(top) ? top.filter(isJsonObject) : [];
  return Object.fromEntries(listed.map(({ token, logprob }) => [String(token), logprob ?? null]));
}
