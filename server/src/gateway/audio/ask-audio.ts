/** Step 9 of both audio paths: only providers whose protocol has audio endpoints are asked. */
import { hasAudioEndpoints } from '../../protocols/index.ts';
import { type Attempt, callProvider, type OpenAnswer, type ProviderRequest } from '../attempt/call-provider.ts';
import type { AttemptResult } from '../attempt/try-route.ts';
import type { Gateway } from '../gateway.ts';

export type AudioCall = Omit<ProviderRequest, 'decodeFailure'>;

export async function askAudio<Begun>(
  attempt: Attempt,
  encode: () => AudioCall,
  open: OpenAnswer<Begun>,
  gw: Gateway,
): Promise<AttemptResult<Begun>> {
  const { protocol } = attempt.target.route.provider;
  if (!hasAudioEndpoints(protocol)) {
    return { failure: { kind: 'model-gone', message: `${protocol} has no audio` }, status: null };
  }
  const { decodeFailure } = gw.upstreamProtocols[protocol].upstream;
  return callProvider(attempt, { ...encode(), decodeFailure }, open, gw);
}
