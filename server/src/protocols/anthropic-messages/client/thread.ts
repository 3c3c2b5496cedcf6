/**
 * `thread`: the provider keeps the conversation and the client sends only what is new. No two routes share such a memory,
 * so it is refused in the very form on which the official SDKs send the whole conversation instead. Dropping the field
 * would answer, and charge for, a conversation whose earlier turns are missing.
 */

import { invalidRequest } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { protocolReasons } from '../../reasons.ts';

export function refuseThread(thread: Json | undefined): void {
  if (thread === undefined || thread === null) return;
  throw invalidRequest('thread', protocolReasons.noThreads, {
    vendorDetails: { error_code: 'thread_unsupported_request' },
  });
}
