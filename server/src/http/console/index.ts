/** Everything under /api/console. */
import type { AccountService } from '../../accounts/index.ts';
import type { RandomBytes } from '../../core/ids.ts';
import type { ClientProtocol, Gateway } from '../../gateway/index.ts';
import { createSharedBudgets, type KeyService, type OwnKeys } from '../../keys/index.ts';
import type { Books } from '../../ledger/index.ts';
import type { People } from '../../people/index.ts';
import type { ChangeFeed } from '../../platform/changes.ts';
import type { Database } from '../../platform/db/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { KeptTerms } from '../../privacy/index.ts';
import type { RequestLog, RequestTexts, UsageLines, UsageReports } from '../../requestlog/index.ts';
import { pause } from '../live-answer.ts';
import type { PublicSite } from '../public-site.ts';
import type { KnowledgeServices } from '../receive-document.ts';
import type { Register } from '../routes/register.ts';
import { createSpending } from '../spending.ts';
import { accountRoutes } from './account.ts';
import { budgetRoutes } from './budgets.ts';
import { keyRoutes } from './keys.ts';
import { knowledgeRoutes } from './knowledge.ts';
import { liveRoutes } from './live.ts';
import { meRoutes } from './me.ts';
import { memberRoutes } from './members.ts';
import { movementRoutes } from './movements.ts';
import { offeredModelRoutes } from './offered-models.ts';
import { playgroundRoutes } from './playground.ts';
import { privacyRoutes } from './privacy.ts';
import { proofRoutes } from './proof.ts';
import { providerKeyRoutes } from './provider-keys.ts';
import { requestRoutes } from './requests.ts';
import { responseCacheRoutes } from './response-cache.ts';
import { signInRoutes } from './sign-in.ts';
import { type TestedEndpoint, testRoutes } from './test-key.ts';
import { usageRoutes } from './usage.ts';
import { usageFileRoutes } from './usage-file.ts';
import { walletRoutes } from './wallet.ts';

export interface ConsoleServices {
  db: Database;
  gw: Gateway;
  people: People;
  accounts: AccountService;
  keys: KeyService;
  ownKeys: OwnKeys;
  ledger: Books;
  requestLog: RequestLog;
  usage: { reports: UsageReports; lines: UsageLines };
  texts: RequestTexts;
  forgetTexts(accountId: string): Promise<void>;
  knowledge: KnowledgeServices;
  secrets: Pick<SecretBox, 'derive'>;
  randomBytes: RandomBytes;
  feed: ChangeFeed;
  /** The origin of links in messages and of passkeys. */
  site: PublicSite;
  isFirstPassword(text: string): boolean;
  /** The chat protocol of the playground. */
  protocol: ClientProtocol;
  /** The protocols that the rule tester understands. */
  protocols: Record<TestedEndpoint, ClientProtocol>;
  /** The retention settings. */
  kept: KeptTerms;
  /** The name of the operator's service. */
  serviceName(): string;
}

export function consoleRoutes(register: Register, services: ConsoleServices): void {
  const { gw, people, requestLog: log } = services;
  const { clock, admission } = gw;
  const spending = createSpending(admission, clock);
  const { reports, lines } = services.usage;
  signInRoutes(register, services);
  meRoutes(register, services);
  proofRoutes(register, services);
  memberRoutes(register, services);
  accountRoutes(register, {
    ...services,
    spending,
    log,
    knowledge: services.knowledge.service,
  });
  privacyRoutes(register, services);
  keyRoutes(register, { ...services, spending, lastUsed: reports.lastUsed });
  const budgets = createSharedBudgets({ ...services, clock });
  budgetRoutes(register, { ...services, spending, budgets });
  providerKeyRoutes(register, services);
  const usage = { ...services, clock, reports };
  usageRoutes(register, usage);
  responseCacheRoutes(register, gw.responseCache);
  usageFileRoutes(register, { ...usage, lines });
  requestRoutes(register, {
    ...services,
    clock,
    log,
    settings: people.settings,
    pause,
    passagesThere: (passages) => services.knowledge.service.passagesThere(passages),
  });
  liveRoutes(register, {
    clock,
    log,
    pause,
    feed: services.feed,
    documentMark: (accountId) => services.knowledge.service.changeMark(accountId),
  });
  walletRoutes(register, {
    ...services,
    clock,
    spending,
    admission,
    walletMinimum: () => gw.settings.walletMinimum,
  });
  movementRoutes(register, services);
  knowledgeRoutes(register, services.knowledge);
  offeredModelRoutes(register, services);
  playgroundRoutes(register, services);
  testRoutes(register, { ...services, budgets });
}
