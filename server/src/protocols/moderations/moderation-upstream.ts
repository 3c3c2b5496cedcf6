/** Moderation of OpenAI, and of Mistral, whose categories have other names and whose answers say less. */
import { invalidRequest } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { passNamed } from '../passed-fields.ts';
import type { HttpParts, Quirks } from '../protocol.ts';
import { errorIn, inBandFailure } from '../provider-error.ts';
import type { Judgement, ModerationRequest, ModerationResponse } from './moderation.ts';

const PASSED = new Set(['model', 'input', 'metadata']);

export function encodeModeration(request: ModerationRequest, model: string, quirks: Quirks): HttpParts {
  const { texts, pictures, extras } = request;
  const warnings: string[] = [];
  const body = passNamed(PASSED, { ...extras, model, input: inputOf(texts, pictures) }, quirks, warnings);
  for (const field of quirks.dropFields ?? []) {
    if (field === 'input' && pictures.length > 0) throw invalidRequest('input', reasons.notCarried('input'));
    delete body[field];
  }
  return { path: '/moderations', headers: { accept: 'application/json' }, body, warnings };
}

function inputOf(texts: string[], pictures: string[]): Json {
  if (pictures.length === 0) return texts;
  return [
    ...texts.map((text) => ({ type: 'text', text })),
    ...pictures.map((url) => ({ type: 'image_url', image_url: { url } })),
  ];
}

export function decodeModeration(
  answer: Json | undefined,
  { texts, pictures }: ModerationRequest,
): ModerationResponse | UpstreamFailure {
  const list = isJsonObject(answer) ? answer['results'] : undefined;
  if (!isJsonObject(answer) || !Array.isArray(list)) {
    const error = isJsonObject(answer) ? errorIn(answer) : undefined;
    return error ? inBandFailure(error) : { kind: 'malformed', message: 'an answer without results' };
  }
  const results = list.map((item) => readJudgement(item, pictures.length > 0));
  const wanted = pictures.length > 0 ? 1 : texts.length;
  const whole = results.filter((one) => one !== undefined);
  // One result too few would put every later one beside the wrong text.
  if (whole.length !== wanted || list.length !== wanted)
    return { kind: 'malformed', message: `${whole.length} readable results for ${wanted} inputs` };
  const { usage } = answer;
  const tokens = isJsonObject(usage) ? (usage['prompt_tokens'] ?? usage['total_tokens']) : undefined;
  const isCount = typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0;
  return { results: whole, ...(isCount && { inputTokens: tokens }) };
}

function readJudgement(item: Json, hasPictures: boolean): Judgement | undefined {
  if (!isJsonObject(item) || !isJsonObject(item['categories'])) return undefined;
  const categories: Judgement['categories'] = {};
  for (const [name, value] of Object.entries(item['categories']))
    categories[name] = typeof value === 'boolean' ? value : null;
  const scores: Judgement['scores'] = {};
  const given = isJsonObject(item['category_scores']) ? item['category_scores'] : {};
  for (const [name, value] of Object.entries(given)) if (typeof value === 'number') scores[name] = value;
  const { flagged } = item;
  return {
    flagged: typeof flagged === 'boolean' ? flagged : Object.values(categories).includes(true),
    categories,
    scores,
    appliedTo: readApplied(item['category_applied_input_types'], categories, hasPictures),
  };
}

function readApplied(given: Json | undefined, categories: object, hasPictures: boolean): Judgement['appliedTo'] {
  const applied: Judgement['appliedTo'] = {};
  const said: JsonObject = isJsonObject(given) ? given : {};
  for (const name of Object.keys(categories)) {
    const types = said[name];
    applied[name] = Array.isArray(types) ? types.map(String) : hasPictures ? ['text', 'image'] : ['text'];
  }
  return applied;
}
