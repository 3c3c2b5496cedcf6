/** A whole answer of a provider. */
import type { ChatResponse, Part } from '../../../core/chat.ts';
import type { UpstreamFailure } from '../../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { errorIn, inBandFailure } from '../../provider-error.ts';
import { decodeFinish, failureOf } from '../finish.ts';
import { toolCountsOf, withToolUsage } from '../tool-usage.ts';
import { decodeUsage } from '../usage.ts';
import { partsOf } from './output-parts.ts';

export function decodeResponse(body: Json): ChatResponse | UpstreamFailure {
  if (!isJsonObject(body)) return { kind: 'malformed', message: 'the body is not a JSON object' };
  const failure = failureOf(body);
  if (failure) return failure;
  const { output } = body;
  if (!Array.isArray(output)) {
    const error = errorIn(body);
    return error ? inBandFailure(error) : { kind: 'malformed', message: 'the response has no output' };
  }
  return responseOf(body, output.filter(isJsonObject));
}

function responseOf(body: JsonObject, items: JsonObject[]): ChatResponse {
  const parts: Part[] = items.flatMap(partsOf);
  const { id, model, created_at: created, service_tier: tier } = body;
  const usage = withToolUsage(decodeUsage(body['usage']), body, toolCountsOf(items));
  const called = parts.some(({ kind }) => kind === 'tool-call');
  const finish = decodeFinish(body);
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
    ...(typeof created === 'number' && { created: Math.floor(created) }),
    choices: [{ index: 0, parts, finish: called && finish.kind === 'stop' ? { kind: 'tool-calls' } : finish }],
    ...(usage && { usage }),
    ...(typeof tier === 'string' && { serviceTier: tier }),
  };
}
