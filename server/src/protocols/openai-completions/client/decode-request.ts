/** A body of the old completions protocol to the canonical request: its prompt is the one message of a user. */

import type { ChatRequest } from '../../../core/chat.ts';
import { expected } from '../../../core/expected.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { openaiChatClient } from '../../openai-chat/index.ts';
import { asBoolean, asString, integerBetween, optional, refuseParam } from '../../read-fields.ts';
import { protocolReasons } from '../../reasons.ts';

/** Fields of the chat protocol that this one never had. */
const NOT_HERE = ['messages', 'tools', 'tool_choice', 'functions', 'function_call', 'response_format'];

const readLogprobs = integerBetween(0, 5);
const readCount = integerBetween(1, 128);

export function decodeRequest(body: JsonObject): ChatRequest {
  const { prompt, echo, suffix, best_of, logprobs, ...rest } = body;
  refuseWhatChatModelsCannot(body);
  for (const field of NOT_HERE) delete rest[field];
  const top = optional(logprobs, 'logprobs', readLogprobs);
  return openaiChatClient.decodeRequest({
    ...rest,
    messages: [{ role: 'user', content: promptOf(prompt) }],
    ...(top !== undefined && { logprobs: true, top_logprobs: top }),
  });
}

function refuseWhatChatModelsCannot(body: JsonObject): void {
  const notHere = (field: string): never => refuseParam(field, protocolReasons.notForChatModels(field));
  if (optional(body['echo'], 'echo', asBoolean)) notHere('echo');
  if (optional(body['suffix'], 'suffix', asString)) notHere('suffix');
  const count = optional(body['n'], 'n', readCount) ?? 1;
  // `best_of` may equal `n`, because then nothing is discarded.
  if ((optional(body['best_of'], 'best_of', readCount) ?? count) !== count) notHere('best_of');
}

/** Only one prompt is taken. Several would be several requests, each with an answer and a price of its own. */
function promptOf(value: Json | undefined): string {
  if (value === undefined || value === null) refuseParam('prompt', reasons.required('prompt'));
  if (typeof value === 'string') return value === '' ? refuseParam('prompt', reasons.required('prompt')) : value;
  const [only] = Array.isArray(value) ? value : [];
  if (Array.isArray(value) && value.length > 1 && typeof only === 'string')
    refuseParam('prompt', protocolReasons.onePromptOnly);
  if (!Array.isArray(value) || typeof only !== 'string' || only === '')
    refuseParam('prompt', reasons.mustBe('prompt', expected.textOrOneText));
  return only;
}
