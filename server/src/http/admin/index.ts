/** Everything under /api/admin. */
import type { CreditByHand } from '../../accounting/index.ts';
import type { AccountBlocks, AccountList, AccountNotes, AccountService } from '../../accounts/index.ts';
import type { Admission } from '../../admission/index.ts';
import type { CatalogAdmin, ListAdmin, RateSource } from '../../catalog/index.ts';
import type { Clock } from '../../core/clock.ts';
import type { KeyService, OwnKeys } from '../../keys/index.ts';
import type { Books, BooksProofs, DeadLetter, TransferSearch } from '../../ledger/index.ts';
import type { AuditLogList, Exports, SavedViews } from '../../lists/index.ts';
import type { Payments } from '../../payments/index.ts';
import type { People } from '../../people/index.ts';
import type { RecordChange } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { RequestList, RequestLog } from '../../requestlog/index.ts';
import type { Router } from '../../routing/index.ts';
import type { UptimeReports } from '../../uptime/index.ts';
import type { KnowledgeServices } from '../receive-document.ts';
import type { Register } from '../routes/register.ts';
import { createSpending } from '../spending.ts';
import { accounts } from './accounts.ts';
import { byHand } from './by-hand.ts';
import { type ConformanceServices, conformance } from './conformance.ts';
import { credit } from './credit.ts';
import { exportRoutes } from './exports.ts';
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
  auditLog,
  books,
  deadLetterRoutes,
  type HealthState,
  health,
  type LiveSettings,
  operatorPassword,
  refresh,
  settings,
} from './service.ts';
import { exportable } from './staff-list.ts';

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
  /** The log of all accounts, with every filter. */
  requestList: RequestList;
  accountList: AccountList;
  transferSearch: TransferSearch;
  auditLogList: AuditLogList;
  exports: Exports;
  views: SavedViews;
  knowledge: KnowledgeServices;
  router: Pick<Router, 'snapshot'>;
  settings: LiveSettings;
  resetOperatorPassword(actor: string): Promise<string>;
  /** Writes the audit log of what concerns wallets, inside their transaction. */
  recordCredit: RecordChange;
  /** Writes the audit log of documents that staff book. */
  recordDocument: RecordChange;
  /** Writes the audit log entry of what staff do to persons. */
  recordPerson: RecordChange;
  /** Writes the audit log entry of what staff do to keys without changing them. */
  recordKey: RecordChange;
  /** Charges that the database refuses; they wait in the journal's folder for a person. */
  deadLetters(): Promise<DeadLetter[]>;
  health(): HealthState;
  tools: OperatorTools;
  /** Customers' own keys at providers; staff never see one. */
  ownKeys: OwnKeys;
  uptime: Pick<UptimeReports, 'lastDayOf'>;
  matrix: ConformanceServices;
}

export function adminRoutes(register: Register, services: AdminServices): void {
  const { ledger, catalog, requestLog } = services;
  const spending = createSpending(services.admission, services.clock);
  const lists = [
    exportable(accounts(register, services.accounts, spending, services.accountList)),
    exportable(credit(register, { ...services, spending })),
    exportable(auditLog(register, services.auditLogList)),
  ];
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
  const log = { db: services.db, log: requestLog, list: services.requestList, prices: catalog.prices };
  lists.push(exportable(requests(register, log)));
  traffic(register, requestLog, services.clock);
  usage(register, requestLog);
  books(register, ledger);
  proofs(register, services.proofs);
  lists.push(exportable(monthEnd(register, services.monthEnd)));
  deadLetterRoutes(register, services.deadLetters);
  settings(register, services.settings);
  operatorPassword(register, services.resetOperatorPassword);
  health(register, services.router, services.health);
  operatorTools(register, services.tools, catalog.providers);
  conformance(register, services.matrix);
  replicas(register, services.admission, services.recordCredit, services.db);
  exportRoutes(register, services);
  for (const list of lists) services.exports.add(list);
}
