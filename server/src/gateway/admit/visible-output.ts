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

/**
 * Nobody pays for the silence of a model that was asked not to think and obeys; what its provider reports counts all the same. A
 * request that says both (an effort, and that thinking is off) is believed in nothing: providers read one of the two.
 */
export function asksNoThinking(
  { reasoning }: ChatRequest,
  { route }: Target,
  protocols: Gateway['upstreamProtocols'],
): boolean {
  if (reasoning === undefined || reasoning.budgetTokens !== undefined) return false;
  const { effort, mode } = reasoning;
  const isOff =
    effort === 'none' ? mode === undefined || mode === 'disabled' : mode === 'disabled' && effort === undefined;
  const { obeysNoThinking } = protocols[route.provider.protocol].upstream;
  return isOff && (obeysNoThinking?.(route.quirks, route.upstreamModel) ?? true);
}
