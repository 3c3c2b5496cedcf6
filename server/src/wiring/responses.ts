/** What is stored for callers: answers and conversations of the Responses protocol, secrets for realtime sessions. */
import type { Settings } from '../config/index.ts';
import { createClientSecrets } from '../keys/index.ts';
import { createConversationStore, createResponseStore } from '../responses/index.ts';
import type { Foundation } from './foundation.ts';

/** Things that callers make and refer to later. */
export function openKeptForCallers(base: Foundation, limits: Settings['limits']) {
  const clientSecrets = createClientSecrets({ ...base, randomBytes: base.tools.randomBytes });
  return { conversations: openConversations(base, limits), clientSecrets };
}

function openConversations({ db, clock, background, log, tools }: Foundation, limits: Settings['limits']) {
  const bounds = {
    get keepMs() {
      return limits.responseStoreKeepMs;
    },
    perAccount: limits.responseStoreMaxPerAccount,
    characters: limits.responseStoreMaxResponseBytes,
    // Conversations are free, so the room they take is bounded.
    charactersOfAccount: 64 * limits.responseStoreMaxResponseBytes,
  };
  return createConversationStore({ db, clock, background, log, randomBytes: tools.randomBytes, bounds });
}

export function openResponses({ db, clock, background, log }: Foundation, limits: Settings['limits']) {
  return createResponseStore({
    db,
    clock,
    background,
    log,
    bounds: {
      bytes: limits.responseStoreMaxBytes,
      bytesPerResponse: limits.responseStoreMaxResponseBytes,
      perAccount: limits.responseStoreMaxPerAccount,
      get keepMs() {
        return limits.responseStoreKeepMs;
      },
    },
  });
}
