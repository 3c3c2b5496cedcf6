/** Orders, gift codes and settlement over one database, for tests. Several of them over the same database are replicas. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../src/core/clock.ts';
import type { RandomBytes } from '../../src/core/ids.ts';
import { money } from '../../src/core/money.ts';
import { type Books, createLedger } from '../../src/ledger/index.ts';
import {
  createGatewayDirectory,
  createGiftCodes,
  createOrders,
  createReceipts,
  createRefunds,
  type GatewayDirectory,
  type GiftCodes,
  type LegalIdentity,
  type Order,
  OrderSettlement,
  type Orders,
  type PaymentGateway,
  type Receipts,
  type Refunds,
} from '../../src/payments/index.ts';
import { createInvoices } from '../../src/payments/invoices/invoices.ts';
import { createPapers, type Papers } from '../../src/payments/papers.ts';
import type { Database, Queryable } from '../../src/platform/db/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createTransport, type UpstreamTransport } from '../../src/platform/upstream/index.ts';
import { describeAudit } from '../ledger/describe-audit.ts';
import { type RecordedLog, recordedLog } from '../services/silent-log.ts';

export interface CashDesk {
  orders: Orders;
  gifts: GiftCodes;
  gateways: GatewayDirectory;
  settlement: OrderSettlement;
  refunds: Refunds;
  receipts: Receipts;
  books: Books;
  log: RecordedLog;
  transport: UpstreamTransport;
  /** What staff was told, and who was paused. */
  chargebacks: string[];
  close(): Promise<void>;
}

export interface CashDeskOptions {
  db: Database;
  clock: Clock;
  random?: RandomBytes;
  vatBasisPoints?: number;
  seller?: LegalIdentity;
  onCredited?: (tx: Queryable, order: Order) => Promise<void>;
  /** Told of every refund whose money went, whole or in part. */
  onRefunded?: (order: Order) => void;
  /** In place of those of the service. */
  scripted?: (id: string) => Promise<PaymentGateway | undefined>;
}

const KEY = Buffer.alloc(32, 7);

export function openCashDesk(options: CashDeskOptions): CashDesk {
  const { db, clock, random = randomBytes, vatBasisPoints = 0, scripted } = options;
  const { onCredited = async () => undefined, onRefunded = () => undefined } = options;
  const chargebacks: string[] = [];
  const log = recordedLog();
  const transport = createTransport({ clock, log });
  const books = createLedger({ db, clock });
  const invoices = createInvoices({
    db,
    clock,
    randomBytes: random,
    settings: async () => ({ seller: options.seller ?? null, vatBasisPoints }),
  });
  const issued = createPapers({ ledger: books, invoices });
  const papers: Papers = {
    ...issued,
    async refunded(tx, refund, by) {
      await issued.refunded(tx, refund, by);
      onRefunded(refund.order);
    },
  };
  const banks = async (id = 'main') => id;
  const directory = createGatewayDirectory({
    db,
    clock,
    randomBytes: random,
    transport,
    secrets: createSecretBox(KEY),
    dollarRate: async () => money(100_000n * 1_000_000n),
    sandboxAllowed: true,
    sandboxByDefault: async () => true,
  });
  const gateways = scripted ? { ...directory, find: scripted, evenIfOff: scripted } : directory;
  const settlement = new OrderSettlement({
    db,
    clock,
    log,
    ledger: books,
    gatewayOf: (id) => gateways.evenIfOff(id),
    async onCredited(tx, order) {
      await invoices.issueFor(tx, order);
      await onCredited(tx, order);
    },
    papers,
  });
  const refunds = createRefunds({
    db,
    clock,
    randomBytes: random,
    log,
    ledger: books,
    gateways,
    settlement,
    accounts: {
      update: async (id) => {
        chargebacks.push(`paused ${id}`);
        return undefined as never;
      },
    },
    availableOf: async (accountId) => (await books.wallet(accountId)).posted,
    pauseOnChargeback: async () => true,
    onChargeback: async ({ id }, disputeId) => void chargebacks.push(`${disputeId} of ${id}`),
    papers,
    bankOf: banks,
  });
  const orders = createOrders({
    db,
    clock,
    randomBytes: random,
    log,
    gateways,
    settlement,
    vatBasisPoints: async () => vatBasisPoints,
    bankOf: banks,
    onDispute: (gateway, disputeId) => refunds.dispute(gateway, disputeId),
  });
  const gifts = createGiftCodes({ db, clock, randomBytes: random, settlement, gateways });
  const receipts = createReceipts({
    db,
    clock,
    randomBytes: random,
    settlement,
    vatBasisPoints: async () => vatBasisPoints,
    bankOf: banks,
  });
  const close = () => transport.close();
  return { orders, gifts, gateways, settlement, refunds, receipts, books, log, transport, chargebacks, close };
}

export async function makeAccount(db: Database, id: string): Promise<void> {
  await db.query(
    `insert into account (id, name, rules, calendar, created_at, updated_at)
     values ($1, $1, '{}', '{}', '2026-11-15', '2026-11-15') on conflict do nothing`,
    [id],
  );
}

export async function proveBooks(books: Books): Promise<void> {
  const report = await books.audit();
  if (!report.ok) throw new Error(describeAudit(report));
}
