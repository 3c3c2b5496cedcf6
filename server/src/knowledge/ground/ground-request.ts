/** Puts the passages in front of the model: our instructions among the system texts, the passages before the question they answer. */
import type { ChatRequest, Message } from '../../core/chat.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import type { Reference } from '../../protocols/index.ts';
import type { ScoredPassage } from '../retrieve/fuse.ts';
import { INSTRUCTIONS, renderPassage, renderPassages } from './passage-block.ts';

/** Words of a question so short ("and why?") that it means nothing without the one before. */
const SHORT_QUESTION = 24;
const EXCERPT_CHARACTERS = 300;
/** Tags around all, roles, separators. */
const FRAME_TOKENS = 24;

/** What to search for: the last thing the user said, with what it was said about when it is short. */
export function questionOf({ messages }: ChatRequest): string {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .filter((text) => text !== '');
  const last = asked.at(-1) ?? '';
  const before = asked.at(-2);
  return last.length < SHORT_QUESTION && before !== undefined ? `${before}\n${last}` : last;
}

/** As many as fit, best first; a long one that does not fit may make room for a shorter one after it. */
export function withinBudget(passages: readonly ScoredPassage[], budgetTokens: number): ScoredPassage[] {
  const chosen: ScoredPassage[] = [];
  let left = budgetTokens - FRAME_TOKENS - estimateTokens(INSTRUCTIONS);
  for (const passage of passages) {
    const tokens = estimateTokens(renderPassage(passage, chosen.length + 1));
    if (tokens > left) continue;
    left -= tokens;
    chosen.push(passage);
  }
  return chosen;
}

export function groundWith(
  request: ChatRequest,
  passages: readonly ScoredPassage[],
): { request: ChatRequest; tokens: number } {
  const block = renderPassages(passages);
  const at = request.messages.findLastIndex((message) => message.role === 'user' && textOf(message) !== '');
  const messages = request.messages.map(
    (message, index): Message =>
      index === at ? { ...message, parts: [{ kind: 'text', text: block }, ...message.parts] } : message,
  );
  const firstTurn = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  messages.splice(Math.max(0, firstTurn), 0, { role: 'system', parts: [{ kind: 'text', text: INSTRUCTIONS }] });
  return {
    request: { ...request, messages },
    tokens: estimateTokens(block) + estimateTokens(INSTRUCTIONS) + FRAME_TOKENS,
  };
}

export function referencesOf(passages: readonly ScoredPassage[]): Reference[] {
  return passages.map((passage, at) => ({
    index: at + 1,
    knowledgeBaseId: passage.baseId,
    documentId: passage.documentId,
    title: passage.documentName,
    ...(passage.page !== null && { page: passage.page }),
    ...(passage.heading !== null && { heading: passage.heading }),
    ...(passage.documentUrl !== null && { url: passage.documentUrl }),
    excerpt: excerptOf(passage.text),
    score: Math.round(passage.score * 10_000) / 10_000,
  }));
}

export function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= EXCERPT_CHARACTERS
    ? line
    : `${line.slice(0, EXCERPT_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
