/** Can we see an answer grow? Some models think without saying a word, and what nobody sees cannot be held for as it grows. */
import type { ChatRequest } from '../../core/chat.ts';
import type { Target } from '../../routing/index.ts';

export function showsItsOutput(request: ChatRequest, { model, route }: Target): boolean {
  if (!model.capabilities.has('reasoning')) return true;
  const { protocol } = route.provider;
  // It thinks only when it is asked to.
  if (protocol === 'anthropic-messages' && request.reasoning === undefined) return true;
  const { replayReasoningAs } = route.quirks;
  return protocol === 'openai-chat' && (replayReasoningAs === 'reasoning_content' || replayReasoningAs === 'reasoning');
}
