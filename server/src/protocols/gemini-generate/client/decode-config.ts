/** `generationConfig`: sampling, limits, thinking and the form of the answer. */
import type { OutputKind, ReasoningEffort, ReasoningRequest, Sampling } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { nearestName } from '../../../core/nearest-name.ts';
import { reasons } from '../../../core/reasons.ts';
import {
  asArray,
  asBoolean,
  asObject,
  asString,
  asTokenCount,
  definedFields,
  integerBetween,
  numberBetween,
  oneOf,
  optional,
} from '../../read-fields.ts';
import { MAX_ANSWERS, MAX_ITEMS, MAX_TOKENS } from '../bounds.ts';
import { keep } from '../own-fields.ts';
import { toPlainSchema } from './plain-schema.ts';
import { wireFields } from './wire-names.ts';

const AT = 'generationConfig';

const READ = [
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'responseLogprobs',
  'logprobs',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'thinkingConfig',
];
/** These are sent to Google unchanged; other providers have no use for them. */
const CARRIED = ['mediaResolution'];
/** Settings of pictures and audio: without those outputs they have no effect. */
const WITHOUT_EFFECT = [
  'speechConfig',
  'imageConfig',
  'audioTranscriptionConfig',
  'audioTimestamp',
  'enableEnhancedCivicAnswers',
];
const KNOWN = [...READ, ...CARRIED, ...WITHOUT_EFFECT];

export interface DecodedConfig {
  sampling: Sampling;
  output: OutputKind;
  maxOutputTokens: number | undefined;
  reasoning: ReasoningRequest | undefined;
  /** What only a provider of this protocol gets. */
  carried: JsonObject | undefined;
}

export function decodeConfig(value: Json | undefined): DecodedConfig {
  const config = wireFields(optional(value, AT, asObject) ?? {});
  for (const name in config) if (!KNOWN.includes(name)) refuseUnknownField(`${AT}.${name}`, name, KNOWN, `${AT}.`);
  refuseOtherMedia(config['responseModalities']);
  const carried: JsonObject = {};
  for (const name of CARRIED) if (config[name] !== undefined) carried[name] = config[name];
  return {
    sampling: decodeSampling(config),
    output: decodeOutput(config),
    maxOutputTokens: optional(config['maxOutputTokens'], `${AT}.maxOutputTokens`, asTokenCount),
    reasoning: optional(config['thinkingConfig'], `${AT}.thinkingConfig`, decodeThinking),
    carried: Object.keys(carried).length > 0 ? carried : undefined,
  };
}

/** Google refuses unknown fields, and its clients rely on that to find mistakes. */
export function refuseUnknownField(field: string, name: string, known: readonly string[], prefix = ''): never {
  const near = nearestName(name.slice(0, 256), known);
  const shown = field.slice(0, 512);
  throw invalidRequest(shown, reasons.unknownField(shown, near === undefined ? undefined : `${prefix}${near}`));
}

/** Pictures and speech cost many times as much as text, and have endpoints of their own. */
function refuseOtherMedia(value: Json | undefined): void {
  const param = `${AT}.responseModalities`;
  const modalities = optional(value, param, (list, at) => asArray(list, at, MAX_ITEMS)) ?? [];
  const other = modalities.find((modality) => modality !== 'TEXT' && modality !== 'MODALITY_UNSPECIFIED');
  if (other !== undefined)
    throw invalidRequest(param, reasons.costsMore(param, typeof other === 'string' ? other : JSON.stringify(other)));
}

function decodeSampling(config: JsonObject): Sampling {
  const read = <T>(name: string, reader: (value: Json, param: string) => T): T | undefined =>
    optional(config[name], `${AT}.${name}`, reader);
  const stop = read('stopSequences', (value, param) =>
    asArray(value, param, MAX_ITEMS).map((item, index) => asString(item, `${param}.${index}`)),
  );
  return definedFields<Sampling>({
    temperature: read('temperature', numberBetween(0, 2)),
    topP: read('topP', numberBetween(0, 1)),
    topK: read('topK', numberBetween(0, MAX_TOKENS)),
    count: read('candidateCount', integerBetween(1, MAX_ANSWERS)),
    stop: stop?.length ? stop : undefined,
    logprobs: read('responseLogprobs', asBoolean) || undefined,
    topLogprobs: read('logprobs', integerBetween(0, 20)),
    presencePenalty: read('presencePenalty', numberBetween(-2, 2)),
    frequencyPenalty: read('frequencyPenalty', numberBetween(-2, 2)),
    seed: read('seed', integerBetween(-2_147_483_648, 2_147_483_647)),
  });
}

const readType = oneOf(['text/plain', 'application/json']);
/** The protocol has no name for a schema, but others require one. */
const SCHEMA_NAME = 'output';

function decodeOutput(config: JsonObject): OutputKind {
  const type = optional(config['responseMimeType'] || undefined, `${AT}.responseMimeType`, readType);
  const plain = optional(config['responseJsonSchema'], `${AT}.responseJsonSchema`, asObject);
  const subset = plain ? undefined : optional(config['responseSchema'], `${AT}.responseSchema`, asObject);
  const schema = plain ?? (subset && toPlainSchema(subset));
  if (schema) return { kind: 'json-schema', name: SCHEMA_NAME, schema };
  return { kind: type === 'application/json' ? 'json' : 'text' };
}

const EFFORTS: Record<string, ReasoningEffort | undefined> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
};
const NO_LEVEL = 'THINKING_LEVEL_UNSPECIFIED';
/** The model decides for itself. */
const DYNAMIC = -1;

/** It is kept unchanged for Google's models, and translated for others. */
function decodeThinking(value: Json, at: string): ReasoningRequest {
  const config = wireFields(asObject(value, at));
  const shows = optional(config['includeThoughts'], `${at}.includeThoughts`, asBoolean) ?? false;
  const budget = optional(config['thinkingBudget'], `${at}.thinkingBudget`, integerBetween(DYNAMIC, MAX_TOKENS));
  const level = optional(config['thinkingLevel'], `${at}.thinkingLevel`, asString)?.toUpperCase();
  const effort = level === undefined || level === NO_LEVEL ? undefined : EFFORTS[level];
  if (level !== undefined && level !== NO_LEVEL && effort === undefined)
    throw invalidRequest(`${at}.thinkingLevel`, reasons.oneOf(`${at}.thinkingLevel`, Object.keys(EFFORTS)));
  return {
    ...amountOf(budget, effort),
    summary: shows ? 'auto' : 'none',
    ...keep({ thinkingConfig: config }),
  };
}

function amountOf(budget: number | undefined, effort: ReasoningEffort | undefined): ReasoningRequest {
  if (effort !== undefined) return { effort };
  if (budget === undefined) return {};
  if (budget === DYNAMIC) return { mode: 'adaptive' };
  return budget === 0 ? { effort: 'none', mode: 'disabled' } : { mode: 'enabled', budgetTokens: budget };
}
