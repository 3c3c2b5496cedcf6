/** All that the endpoints need from the rest of the server. */
import type { Batches } from '../batches/index.ts';
import type { Branding } from '../branding/index.ts';
import type { Settings } from '../config/index.ts';
import type { Gateway } from '../gateway/index.ts';
import type { ClientSecrets } from '../keys/index.ts';
import type { KnowledgeService } from '../knowledge/index.ts';
import type { CarrierDirectory } from '../messages/index.ts';
import type { People, PersonList } from '../people/index.ts';
import type { UploadFiles } from '../platform/upload-files.ts';
import type { RequestLog, RequestTexts } from '../requestlog/index.ts';
import type { ConversationStore, ResponseStore } from '../responses/index.ts';
import type { Setup } from '../setup/index.ts';
import type { TicketList } from '../support/index.ts';
import type { AdminServices } from './admin/index.ts';
import type { OutageServices } from './admin/outages.ts';
import type { AdminPaymentServices } from './admin/payments.ts';
import type { AlertServices } from './console/alerts.ts';
import type { ConsoleServices } from './console/index.ts';
import type { SupportServices } from './console/tickets.ts';
import type { Monitored } from './monitoring.ts';
import type { PageSources } from './pages/index.ts';
import type { TokenOwnerOf } from './people-guards.ts';
import type { LineEndpoints } from './public/line-endpoints.ts';

interface BatchServices {
  service: Batches;
  endpoints: LineEndpoints;
  maxLineBytes: number;
  maxLines: number;
}

export interface HttpOptions {
  /** Whether a line is written for every request. */
  accessLog: boolean;
  gw: Gateway;
  config: Settings;
  /** The public address of the service, if the operator set one. */
  publicUrl: string | undefined;
  requestLog: RequestLog;
  usage: ConsoleServices['usage'];
  responses: ResponseStore;
  conversations: ConversationStore;
  clientSecrets: ClientSecrets;
  uploads: UploadFiles;
  batches: BatchServices;
  knowledge: KnowledgeService;
  phase: {
    /** The server listens, but refuses requests until the start is done. */
    starting(): boolean;
    /** The server is shutting down, and `/readyz` says so. */
    leaving(): boolean;
    /** No new connection is accepted; each open one gets one more answer. */
    parting(): boolean;
    /** Nothing is answered any more. */
    closed(): boolean;
  };
  overloaded(): boolean;
  mayReadMetrics(token: string | undefined): boolean;
  people: People;
  texts: RequestTexts;
  /** Returns whose token it is, if it opens the operator API. */
  tokenOwnerOf: TokenOwnerOf;
  isFirstPassword(text: string): boolean;
  /** Whether DARGAH_OPERATOR_TOKEN is set. */
  hasEnvironmentToken: boolean;
  admin: Omit<
    AdminServices,
    'people' | 'clock' | 'admission' | 'router' | 'requestLog' | 'knowledge' | 'health' | 'hand' | 'payments' | 'uptime'
  > &
    Pick<ConsoleServices, 'db' | 'secrets' | 'randomBytes'> & { personList: PersonList; ticketList: TicketList };
  payments: AdminPaymentServices;
  monitored: Pick<
    Monitored,
    | 'databaseHealthy'
    | 'databaseKind'
    | 'schema'
    | 'admissionHealth'
    | 'journalHealth'
    | 'posterHealth'
    | 'transportStats'
    | 'metrics'
  >;
  alerts: AlertServices & Omit<OutageServices, 'nameOf'>;
  support: SupportServices;
  pages: Pick<PageSources, 'uptime' | 'prices' | 'priceChanges' | 'pictures'>;
  branding: Branding;
  setup: Setup;
  carriers: CarrierDirectory;
}
