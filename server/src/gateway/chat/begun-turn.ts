/**
 * The request that continues a broken answer: the text delivered so far is the last, begun turn, and the provider
 * continues it.
 */
import type { ChatRequest, Message } from '../../core/chat.ts';
import type { Target } from '../../routing/index.ts';
import type { Run } from '../settle/run.ts';
import type { PaidChat } from './read-chat.ts';

/** No begun turn ends in white space: Anthropic refuses it, and models go on better without. See seam.ts. */
export function withBegunTurn(prompt: ChatRequest, delivered: string): ChatRequest {
  const { reasoning, ...rest } = prompt;
  const isOff = reasoning?.effort === 'none' || reasoning?.mode === 'disabled';
  // No further reasoning: it is done, and providers refuse a begun turn of a model that is to reason first.
  return { ...rest, ...(isOff && { reasoning }), messages: withText(prompt.messages, delivered.trimEnd()) };
}

/** A client may have begun the turn itself. */
function withText(messages: readonly Message[], text: string): Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages, { role: 'assistant', parts: [{ kind: 'text', text }] }];
  const begun = last.parts.at(-1);
  const parts =
    begun?.kind === 'text'
      ? [...last.parts.slice(0, -1), { ...begun, text: begun.text + text }]
      : [...last.parts, { kind: 'text' as const, text }];
  return [...messages.slice(0, -1), { ...last, parts }];
}

/** Only one plain text that can be seen growing: hidden output could be neither continued nor counted. */
export function canBeContinued({ asked, run, targets }: PaidChat): boolean {
  const { output, sampling, priced } = asked.request;
  // Nothing of a judged answer has gone out, so it is asked again as a whole.
  if (asked.judged) return false;
  if (output.kind !== 'text' || (sampling.count ?? 1) > 1 || priced?.speaks || priced?.hosted || run.thinksUnseen)
    return false;
  return targets.some((target) => goesOn(target, run));
}

/** Routes of the same model: its price applies, and its tokens are counted alike. */
export function goesOn({ route, model }: Target, run: Run): boolean {
  if (model !== run.model) return false;
  const { conformance } = route;
  if (conformance?.passed.has('prefill')) return true;
  return model.capabilities.has('prefill') && !conformance?.failed.has('prefill');
}
