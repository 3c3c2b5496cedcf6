/** A request that the gateway makes for itself in the name of an account: nobody waits at a connection, and no key text came. */
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

/** Somebody else chose the model; a key's list of models is about what it asks for itself. */
export function anyModel(key: KeySnapshot): KeySnapshot {
  return { ...key, rules: { ...key.rules, models: null } };
}
