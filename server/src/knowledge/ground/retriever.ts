/** The knowledge step of the request path (its port is gateway/chat/retriever.ts). */
import type { ChatRequest } from '../../core/chat.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Reference } from '../../protocols/index.ts';
import type { PassageRecord } from '../../requestlog/index.ts';
import type { Search } from '../retrieve/search.ts';
import { selectSearched } from '../store/base-rows.ts';
import { groundWith, namedPassages, questionOf, referencesOf, withinBudget } from './ground-request.ts';

/** More sources than this help neither the model nor the reader. */
const MAX_PASSAGES = 12;

export function createRetriever({ db, search, budgetTokens }: { db: Queryable; search: Search; budgetTokens: number }) {
  return {
    budgetTokens,
    /** Unknown bases and those of other accounts get the same answer. */
    async unknown(ids: string[], key: KeySnapshot): Promise<string[]> {
      const known = new Map((await selectSearched(db, ids)).map((base) => [base.id, base]));
      return ids.filter((id) => known.get(id)?.accountId !== key.account.id);
    },
    async ground(
      request: ChatRequest,
      baseIds: string[],
      key: KeySnapshot,
    ): Promise<{ request: ChatRequest; references: Reference[]; tokens: number; passages: PassageRecord[] }> {
      const question = questionOf(request);
      const found = await search({ baseIds, question, limit: MAX_PASSAGES, key });
      const chosen = withinBudget(found, budgetTokens);
      if (chosen.length === 0) return { request, references: [], tokens: 0, passages: [] };
      return { ...groundWith(request, chosen), references: referencesOf(chosen), passages: namedPassages(chosen) };
    },
  };
}
