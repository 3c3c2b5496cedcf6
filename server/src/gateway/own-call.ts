/**
 * A request that the gateway makes itself in the name of an account: there is no connection and no key was presented.
 */
import type { Endpoint } from '@dargah/core/endpoints.ts';
import { makeId } from '../core/ids.ts';
import type { KeySnapshot } from '../keys/index.ts';
import type { Call, ClientConnection } from './call.ts';
import type { Gateway } from './gateway.ts';

const NOBODY: ClientConnection = { gone: false, onGone: () => undefined };

export function ownCall(endpoint: Endpoint, gw: Gateway): Call {
  const now = gw.clock.now();
  return {
    id: makeId('req', now, gw.randomBytes),
    endpoint,
    receivedAt: now,
    startedMs: gw.clock.monotonicMs(),
    headers: {},
    keyText: undefined,
    ip: '',
    referrer: undefined,
    language: 'en',
    idempotencyKey: undefined,
    hop: 0,
    relayHeaders: {},
    contentType: undefined,
    body: new Uint8Array(0),
    trace: undefined,
    client: NOBODY,
    metadata: { windows: new Map(), warnings: [], memory: undefined },
  };
}

/** Another setting chose the model, so the key's list of models does not apply. */
export function anyModel(key: KeySnapshot): KeySnapshot {
  return { ...key, rules: { ...key.rules, models: null } };
}
