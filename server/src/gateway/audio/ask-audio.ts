/** What both audio endpoints ask: only providers whose protocol has audio endpoints can be asked at all. */
import { hasAudioEndpoints } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Failed, Question } from '../attempt/question.ts';
import type { Gateway } from '../gateway.ts';

export function audioQuestion<Begun>(
  { route }: Target,
  encode: () => Omit<Question<Begun>, 'decodeFailure' | 'open'>,
  open: Question<Begun>['open'],
  gw: Gateway,
): Question<Begun> | Failed {
  const { protocol } = route.provider;
  if (!hasAudioEndpoints(protocol)) {
    return { failure: { kind: 'model-gone', message: `${protocol} has no audio` }, status: null };
  }
  const { decodeFailure } = gw.upstreamProtocols[protocol].upstream;
  return { ...encode(), decodeFailure, open };
}
