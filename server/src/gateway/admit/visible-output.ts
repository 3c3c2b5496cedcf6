/**
 * Whether an answer can be seen growing. Some models think without showing it, and money for hidden output cannot be held step by
 * step.
 */
import type { ChatRequest } from '../../core/chat.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';

export function showsItsOutput(
  request: ChatRequest,
  { model, route }: Target,
  protocols: Gateway['upstreamProtocols'],
): boolean {
  if (!model.capabilities.has('reasoning')) return true;
  return protocols[route.provider.protocol].upstream.showsThinking?.(request, route.quirks) ?? false;
}
