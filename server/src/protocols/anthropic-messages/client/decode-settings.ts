/** Settings of the answer: sampling, thinking, output form. */
import { type OutputKind, REASONING_EFFORTS, type ReasoningRequest, type Sampling } from '../../../core/chat.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { asArray, asObject, asString, integerBetween, numberBetween, oneOf, optional } from '../../read-fields.ts';
import { MAX_ITEMS, MAX_TOKENS } from '../bounds.ts';
import { keep } from '../own-fields.ts';

/**
 * Models of other vendors go up to 2; a value that Anthropic's own models would refuse is clamped when it is sent to
 * them.
 */
const readTemperature = numberBetween(0, 2);
const readShare = numberBetween(0, 1);

function readSequences(value: Json, param: string): string[] {
  return asArray(value, param, MAX_ITEMS).map((item, index) => asString(item, `${param}.${index}`));
}

export function decodeSampling(body: JsonObject): Sampling {
  const temperature = optional(body['temperature'], 'temperature', readTemperature);
  const topP = optional(body['top_p'], 'top_p', readShare);
  const topK = optional(body['top_k'], 'top_k', integerBetween(0, MAX_TOKENS));
  const stop = optional(body['stop_sequences'], 'stop_sequences', readSequences);
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(stop?.length && { stop }),
  };
}

const readMode = oneOf(['enabled', 'adaptive', 'disabled']);
const readEffort = oneOf(REASONING_EFFORTS);

/** `thinking` and `output_config.effort` together; both are kept as they came for a hop to the same protocol. */
export function decodeReasoning(body: JsonObject): ReasoningRequest | undefined {
  const thinking = optional(body['thinking'], 'thinking', asObject);
  const config = optional(body['output_config'], 'output_config', asObject);
  const effort = optional(config?.['effort'], 'output_config.effort', readEffort);
  if (!thinking && effort === undefined) return undefined;
  const own: JsonObject = { ...(thinking && { thinking }), ...(effort !== undefined && { effort }) };
  if (!thinking) return { ...(effort !== undefined && { effort }), ...keep(own) };
  const mode = readMode(thinking['type'], 'thinking.type');
  const budgetTokens =
    mode === 'enabled' ? integerBetween(1, MAX_TOKENS)(thinking['budget_tokens'], 'thinking.budget_tokens') : undefined;
  const display = optional(thinking['display'], 'thinking.display', asString);
  return {
    mode,
    ...(effort !== undefined && { effort }),
    ...(budgetTokens !== undefined && { budgetTokens }),
    // Thinking is shown unless the client asked to omit it.
    ...(mode !== 'disabled' && display !== 'omitted' && { summary: 'auto' }),
    ...keep(own),
  };
}

/** The protocol has no name for a schema, but others require one. */
const SCHEMA_NAME = 'output';
const readFormat = oneOf(['json_schema']);

/** `output_config.format`, or its older place `output_format`. */
export function decodeOutput(body: JsonObject): OutputKind {
  const config = optional(body['output_config'], 'output_config', asObject);
  const at = config?.['format'] ? 'output_config.format' : 'output_format';
  const format = optional(config?.['format'] ?? body['output_format'], at, asObject);
  if (!format) return { kind: 'text' };
  readFormat(format['type'], `${at}.type`);
  return { kind: 'json-schema', name: SCHEMA_NAME, schema: asObject(format['schema'], `${at}.schema`) };
}
