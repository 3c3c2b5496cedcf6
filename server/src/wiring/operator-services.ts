/** What the operator's API uses: the catalog's administration, live settings, and the running service. */
import type { Settings } from '../config/index.ts';
import { checkModelKind, type Gateway } from '../gateway/index.ts';
import type { HttpOptions } from '../http/index.ts';
import { createLiveSettings } from '../live-settings.ts';
import type { Notices } from '../notices/index.ts';
import type { People } from '../people/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { openMonthEnd } from './accounting.ts';
import type { OpenedBooks } from './books.ts';
import type { openCatalogAdmin } from './catalog-admin.ts';
import { openConformance } from './conformance.ts';
import type { Foundation } from './foundation.ts';
import { openLists } from './lists.ts';
import { operatorTools } from './operator-tools.ts';
import { ownKeysOf } from './own-keys.ts';
import type { openPeople } from './people.ts';

export interface RunningParts extends ReturnType<typeof openCatalogAdmin> {
  gw: Gateway;
  books: OpenedBooks;
  people: People;
  notices: Notices;
  followSettings: Awaited<ReturnType<typeof openPeople>>['followSettings'];
  /** The settings of the configuration file. */
  file: Settings;
}

/** What opens the operator API, the metrics and the console's first sign-in. */
export function operatorGuards(base: Foundation) {
  const { operators, metricsTokens, firstPassword } = base;
  return {
    mayReadMetrics: (token: string | undefined) => operators.accepts(token) || metricsTokens.accepts(token),
    tokenOwnerOf: (token: string | undefined) => operators.ownerOf(token),
    hasEnvironmentToken: operators.isGiven,
    isFirstPassword: (text: string) => firstPassword.is(text),
  };
}

export async function operatorServices(base: Foundation, parts: RunningParts): Promise<HttpOptions['admin']> {
  const { gw, books, people, followSettings, file, catalog, rateSource, lists } = parts;
  const settings = await createLiveSettings({
    store: base.settings,
    file,
    inForce: gw.settings,
    people: people.settings,
    followPeople: followSettings,
    checkAutoModel: (model, param) => checkModelKind(model, 'chat', param, gw),
    checkReranker: (model) => checkModelKind(model, 'rerank', 'knowledge_rerank_model', gw),
    pricing: () => catalog.pricing.terms(),
    log: base.log,
  });
  return {
    ...base.tools,
    catalog,
    rateSource,
    lists,
    matrix: openConformance(base, gw, parts.notices),
    settings,
    async resetOperatorPassword(actor) {
      const password = await base.resetPassword(actor);
      await people.operator.forgetPassword();
      return password;
    },
    recordCredit: createChangeRecorder(base.tools, 'wallet'),
    proofs: books.proofs,
    monthEnd: openMonthEnd(base),
    deadLetters: () => books.journal.deadLetters(),
    tools: operatorTools(base, gw),
    ownKeys: ownKeysOf(base, gw),
    recordDocument: createChangeRecorder(base.tools, 'document'),
    recordPerson: createChangeRecorder(base.tools, 'person'),
    recordKey: createChangeRecorder(base.tools, 'key'),
    ...openLists(base, parts.notices),
  };
}
