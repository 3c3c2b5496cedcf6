/** Puts the passages in front of the model: our instructions among the system texts, the passages before the question they answer. */
import type { ChatRequest, Message } from '../../core/chat.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import type { Reference } from '../../protocols/index.ts';
import type { PassageRecord } from '../../requestlog/index.ts';
import type { ScoredPassage } from '../retrieve/fuse.ts';
import { INSTRUCTIONS, renderPassage, renderPassages } from './passage-block.ts';

/** A question with fewer characters ("and why?") means nothing without the one before. */
const SHORT_QUESTION = 24;
const EXCERPT_CHARACTERS = 300;
/**
 * The limit for a name in the request log: people choose the names of documents and headings, and every line of the log
 * is written three times.
 */
const NAME_CHARACTERS = 120;
/** Tokens of the tags around everything, roles and separators. */
const FRAME_TOKENS = 24;

/** The text to search for: the last message of the user, together with what it refers to when it is short. */
export function questionOf({ messages }: ChatRequest): string {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .filter((text) => text !== '');
  const last = asked.at(-1) ?? '';
  const before = asked.at(-2);
  return last.length < SHORT_QUESTION && before !== undefined ? `${before}\n${last}` : last;
}

/** As many passages as fit, best first; a long one that does not fit may leave room for a shorter one after it. */
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
    place: passage.ordinal + 1,
    ...(passage.page !== null && { page: passage.page }),
    ...(passage.heading !== null && { heading: passage.heading }),
    ...(passage.documentUrl !== null && { url: passage.documentUrl }),
    excerpt: excerptOf(passage.text),
    score: rounded(passage.score),
  }));
}

/** For the request log, in the order of the references' numbers. */
export function namedPassages(passages: readonly ScoredPassage[]): PassageRecord[] {
  return passages.map(({ baseId, documentId, revision, documentName, ordinal, page, heading, tokens, score }) => ({
    baseId,
    documentId,
    revision,
    title: shortName(documentName),
    place: ordinal + 1,
    page,
    heading: heading === null ? null : shortName(heading),
    tokens,
    score: rounded(score),
  }));
}

export function excerptOf(text: string): string {
  return shortened(text.replace(/\s+/g, ' '), EXCERPT_CHARACTERS);
}

/** Invisible characters become blanks, because as JSON one of them takes six bytes. */
function shortName(text: string): string {
  return shortened(text, NAME_CHARACTERS).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
