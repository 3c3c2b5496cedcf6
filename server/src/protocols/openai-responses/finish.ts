/** How an answer ended: its status, and what the provider says of an incomplete or failed one. */
import type { Finish, FinishKind } from '../../core/chat.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { inBandFailure } from '../provider-error.ts';

export function decodeFinish(response: JsonObject): Finish {
  if (response['status'] !== 'incomplete') return { kind: 'stop' };
  const details = response['incomplete_details'];
  const reason = isJsonObject(details) && typeof details['reason'] === 'string' ? details['reason'] : '';
  return { kind: reason === 'content_filter' ? 'content-filter' : 'length', ...(reason !== '' && { raw: reason }) };
}

/** Only these two reasons exist; undefined for an answer that is complete. */
export function incompleteReason(kind: FinishKind): 'max_output_tokens' | 'content_filter' | undefined {
  if (kind === 'length') return 'max_output_tokens';
  return kind === 'content-filter' ? 'content_filter' : undefined;
}

/** The failure that a whole response or a terminal event reports; undefined for an answer. */
export function failureOf(response: JsonObject): UpstreamFailure | undefined {
  const { error, status } = response;
  if (isJsonObject(error)) return inBandFailure(error);
  if (status === 'failed') return { kind: 'server', message: 'the response failed' };
  if (status === 'cancelled') return { kind: 'server', message: 'the response was cancelled' };
  // A queued answer would have to be fetched later, which nobody asked for.
  if (status === 'queued' || status === 'in_progress')
    return { kind: 'malformed', message: `the response is ${status}` };
  return undefined;
}
