/** Opens the provider's side of a realtime session: the model's routes in order, until one accepts. */
import type { Model } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { TransportError, type UpstreamSocket } from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import { planModel } from '../admit/plan.ts';
import { errorFor } from '../attempt/failures.ts';
import { providerCall, requestHeaders } from '../attempt/provider-http.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';

export interface OpenedUpstream {
  socket: UpstreamSocket;
  target: Target;
}

export async function openUpstream(call: Call, key: KeySnapshot, model: Model, gw: Gateway): Promise<OpenedUpstream> {
  // The price is looked up again for each response, so a customer's own key is not used here.
  const { ownKeys: _, ...account } = key.account;
  const { targets } = planModel(model, { ...key, account }, undefined, gw);
  let last: UpstreamFailure | undefined;
  for (const target of targets) {
    const slot = await gw.router.acquire(target, gw.clock.monotonicMs() + target.route.provider.timeouts.connectMs);
    if (slot === 'full') continue;
    try {
      const socket = await openRoute(call, target, gw);
      slot.end('ok');
      return { socket, target };
    } catch (error) {
      if (!(error instanceof TransportError)) {
        slot.end('aborted');
        throw error;
      }
      last = error.failure;
      slot.end(last);
      const { id: provider } = target.route.provider;
      gw.log.warn({ requestId: call.id, provider, kind: last.kind, cause: last.message }, 'a provider failed');
    }
  }
  throw last ? errorFor(last, false) : new GatewayError('overloaded', { retryAfterMs: 1_000 });
}

async function openRoute(call: Call, { route, credential }: Target, gw: Gateway): Promise<UpstreamSocket> {
  const { provider, upstreamModel } = route;
  const transport = gw.transportOf(provider);
  if (!transport.openSocket)
    throw new TransportError({ kind: 'connect', message: 'this provider has no WebSockets' }, 'connect');
  const headers = requestHeaders(provider, credential, {}, call.hop + 1, undefined);
  const path = `/v1/realtime?model=${encodeURIComponent(upstreamModel)}`;
  const { connectMs } = provider.timeouts;
  const asked = providerCall(
    provider,
    credential,
    headers,
    { path, whole: false },
    connectMs,
    Number.POSITIVE_INFINITY,
  );
  if (asked.signing)
    throw new TransportError({ kind: 'connect', message: 'a signed provider has no WebSockets here' }, 'connect');
  return transport.openSocket(asked);
}
