/**
 * Whether an answer can be seen growing. Some models think without showing it, and money for hidden output cannot be held step by
 * step.
 */
import type { ChatRequest } from '../../core/chat.ts';
import type { Target } from '../../routing/index.ts';

export function showsItsOutput(request: ChatRequest, { model, route }: Target): boolean {
  if (!model.capabilities.has('reasoning')) return true;
  const { protocol } = route.provider;
  // This model thinks only when it is asked to.
  if (protocol === 'anthropic-messages' && request.reasoning === undefined) return true;
  const { replayReasoningAs } = route.quirks;
  return protocol === 'openai-chat' && (replayReasoningAs === 'reasoning_content' || replayReasoningAs === 'reasoning');
}
