/** Everything under /api/admin. */
import type { CreditByHand } from '../../accounting/index.ts';
import type { AccountBlocks, AccountNotes, AccountService } from '../../accounts/index.ts';
import type { Admission } from '../../admission/index.ts';
import type { CatalogAdmin, ListAdmin, RateSource } from '../../catalog/index.ts';
import type { Clock } from '../../core/clock.ts';
import type { KeyService } from '../../keys/index.ts';
import type { Books, BooksProofs, DeadLetter } from '../../ledger/index.ts';
import type { Payments } from '../../payments/index.ts';
import type { People } from '../../people/index.ts';
import type { RecordChange } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { RequestLog } from '../../requestlog/index.ts';
import type { Router } from '../../routing/index.ts';
import type { UptimeReports } from '../../uptime/index.ts';
import type { KnowledgeServices } from '../receive-document.ts';
import type { Register } from '../routes/register.ts';
import { createSpending } from '../spending.ts';
import { accounts } from './accounts.ts';
import { byHand } from './by-hand.ts';
import { credit } from './credit.ts';
import { groups } from './groups.ts';
import { keys } from './keys.ts';
import { knowledgeBases } from './knowledge-bases.ts';
import { priceLists } from './lists.ts';
import { models, prices, routeTraffic } from './models.ts';
import { type MonthEndServices, monthEnd } from './month-end.ts';
import { offers, selling } from './offers.ts';
import { type OperatorTools, operatorTools } from './operations.ts';
import { pricing, rateSource } from './pricing.ts';
import { proofs } from './proofs.ts';
import { providers } from './providers.ts';
import { replicas } from './replicas.ts';
import { requests, traffic, usage } from './requests.ts';
import {
  books,
  deadLetterRoutes,
  type HealthState,
  health,
  type LiveSettings,
  operatorPassword,
  refresh,
  settings,
} from './service.ts';

export interface AdminServices {
  db: Queryable;
  clock: Clock;
  accounts: AccountService;
  blocks: AccountBlocks;
  notes: AccountNotes;
  keys: KeyService;
  people: Pick<People, 'members'>;
  ledger: Books;
  proofs: BooksProofs;
  hand: CreditByHand;
  monthEnd: MonthEndServices;
  payments: Pick<Payments, 'orders'>;
  admission: Pick<Admission, 'budgets' | 'replicas' | 'forgetReplica'>;
  catalog: CatalogAdmin;
  rateSource: RateSource;
  lists: ListAdmin;
  requestLog: RequestLog;
  knowledge: KnowledgeServices;
  router: Pick<Router, 'snapshot'>;
  settings: LiveSettings;
  resetOperatorPassword(actor: string): Promise<string>;
  /** Writes the trail of what concerns wallets, inside their transaction. */
  recordCredit: RecordChange;
  /** Writes the trail of papers that staff book. */
  recordDocument: RecordChange;
  /** Writes the audit log entry of what staff does to persons. */
  recordPerson: RecordChange;
  /** Writes the audit log entry of what staff does to keys without changing them. */
  recordKey: RecordChange;
  /** Charges that the database cannot take; they wait in the journal's folder for a person. */
  deadLetters(): Promise<DeadLetter[]>;
  health(): HealthState;
  tools: OperatorTools;
  uptime: Pick<UptimeReports, 'lastDayOf'>;
}

export function adminRoutes(register: Register, services: AdminServices): void {
  const { ledger, catalog, requestLog } = services;
  const spending = createSpending(services.admission, services.clock);
  accounts(register, services.accounts, spending);
  credit(register, { accounts: services.accounts, ledger, spending, hand: services.hand });
  byHand(register, services);
  keys(register, { ...services, spending });
  providers(register, catalog);
  models(register, catalog);
  routeTraffic(register, services.uptime);
  offers(register, catalog, services.tools.modelsOf);
  selling(register, catalog.selling);
  prices(register, catalog.prices);
  pricing(register, catalog.pricing, services.accounts);
  rateSource(register, services.rateSource);
  priceLists(register, services.lists);
  groups(register, catalog.groups);
  refresh(register, catalog);
  knowledgeBases(register, services.knowledge, services.accounts);
  requests(register, requestLog, catalog.prices);
  traffic(register, requestLog, services.clock);
  usage(register, requestLog);
  books(register, ledger, services.db);
  proofs(register, services.proofs);
  monthEnd(register, services.monthEnd);
  deadLetterRoutes(register, services.deadLetters);
  settings(register, services.settings);
  operatorPassword(register, services.resetOperatorPassword);
  health(register, services.router, services.health);
  operatorTools(register, services.tools, catalog.providers);
  replicas(register, services.admission, services.recordCredit, services.db);
}
