/** What operators and customers do when they are signed in: the operator API and the console's. */
import { VERSION } from '../core/version.ts';
import { selectPerson } from '../people/index.ts';
import { ChangeFeed } from '../platform/changes.ts';
import { bills } from './admin/bills.ts';
import { branding } from './admin/branding.ts';
import { desk } from './admin/desk.ts';
import { deskActs } from './admin/desk-acts.ts';
import { documents } from './admin/documents.ts';
import { adminRoutes } from './admin/index.ts';
import { serviceLive } from './admin/live.ts';
import { operatorTokens } from './admin/operator-tokens.ts';
import { outages } from './admin/outages.ts';
import { payments as adminPayments } from './admin/payments.ts';
import { peopleRoutes } from './admin/people.ts';
import type { HealthState } from './admin/service.ts';
import { settlements } from './admin/settlements.ts';
import { setup } from './admin/setup.ts';
import { exportable } from './admin/staff-list.ts';
import { support } from './admin/support.ts';
import { textForgetter } from './close-account.ts';
import { alerts } from './console/alerts.ts';
import { ownBatches } from './console/batches.ts';
import { consoleRoutes } from './console/index.ts';
import { ownPayments } from './console/payments.ts';
import { ownTickets } from './console/tickets.ts';
import { topUpReminder } from './console/top-up-reminder.ts';
import type { HttpOptions } from './http-options.ts';
import { pause } from './live-answer.ts';
import { recordsHealth } from './monitoring.ts';
import { CHAT, MESSAGES } from './public/chat.ts';
import { RESPONSES } from './public/responses.ts';
import type { PublicSite } from './public-site.ts';
import type { KnowledgeServices } from './receive-document.ts';
import type { Register } from './routes/register.ts';
import { createSpending } from './spending.ts';

export function mountSignedInEndpoints(
  register: Register,
  options: HttpOptions,
  knowledge: KnowledgeServices,
  site: PublicSite,
): void {
  const { gw, admin, people, isFirstPassword, requestLog, texts } = options;
  const { clock, admission, router } = gw;
  const health = () => healthOf(options);
  const feed = new ChangeFeed(admin.db);
  const { hand, payments } = options.payments;
  const { uptime } = options.pages;
  adminRoutes(register, {
    ...admin,
    uptime,
    hand,
    payments,
    people,
    clock,
    admission,
    router,
    requestLog,
    knowledge,
    health,
  });
  admin.exports.add(exportable(adminPayments(register, options.payments)));
  documents(register, { ...options.payments, ledger: admin.ledger, db: admin.db, record: admin.recordDocument });
  settlements(register, { ...options.payments, db: admin.db, clock });
  bills(register, { ...options.payments, db: admin.db });
  ownPayments(register, options.payments, people.attempts);
  branding(register, options.branding);
  setup(register, options.setup);
  operatorTokens(register, { people, clock, hasEnvironmentToken: options.hasEnvironmentToken });
  const { notices, outages: kept } = options.alerts;
  const spending = createSpending(admission, clock);
  const forgetTexts = textForgetter(texts, gw.responseCache, admin.db);
  const ofDesk = { clock, people, spending, requestLog, running: gw.running, notices, forgetTexts, outages: kept };
  desk(register, { ...admin, ...options.support, ...ofDesk });
  deskActs(register, { ...admin, people, notices, site });
  const ofPeople = peopleRoutes(register, {
    ...admin,
    people,
    isFirstPassword,
    record: admin.recordPerson,
    messageCarried: options.setup.messageCarried,
    carriers: options.carriers,
  });
  admin.exports.add(exportable(ofPeople));
  consoleRoutes(register, {
    ...admin,
    gw,
    people,
    isFirstPassword,
    site,
    knowledge,
    requestLog,
    usage: options.usage,
    texts,
    forgetTexts,
    feed,
    protocol: CHAT,
    kept: options.config.limits,
    serviceName: () => options.branding.current().name.en,
    protocols: { 'chat.completions': CHAT, messages: MESSAGES, responses: RESPONSES },
  });
  alerts(register, options.alerts, people.attempts);
  topUpReminder(register, options.alerts);
  ownBatches(register, options.batches.service);
  ownTickets(register, options.support);
  admin.exports.add(exportable(support(register, options.support, { ...admin, ...options.alerts })));
  const nameOf = async (id: string) => (await selectPerson(admin.db, id)).name;
  outages(register, { ...options.alerts, nameOf });
  serviceLive(register, { clock, pause, log: requestLog, feed });
}

function healthOf({ gw, phase, overloaded, monitored }: HttpOptions): HealthState {
  return {
    object: 'health',
    version: VERSION,
    schema: monitored.schema(),
    draining: phase.leaving(),
    overloaded: overloaded(),
    running_requests: gw.running.size,
    database: monitored.databaseHealthy() ? 'ok' : 'unreachable',
    database_kind: monitored.databaseKind(),
    admission: { ...monitored.admissionHealth() },
    ...recordsHealth({ ...monitored, journalAccepting: () => gw.journal.accepting() }),
  };
}
