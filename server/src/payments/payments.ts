/** All of payments, put together for the web server and the background. */
import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Money } from '../core/money.ts';
import type { Books } from '../ledger/index.ts';
import type { Background } from '../platform/background.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import type { UpstreamTransport } from '../platform/upstream/index.ts';
import {
  type BankAccount,
  type BankAccountInput,
  bankOf,
  changeBankAccounts,
  readBankAccounts,
} from './bank-accounts.ts';
import { createGatewayDirectory, type GatewayDirectory } from './gateway-directory.ts';
import { createGiftCodes, type GiftCodes } from './gift-codes.ts';
import { createInvoices, type Invoices } from './invoices/invoices.ts';
import { keptPdfs, type RenderPdf } from './invoices/kept-pdfs.ts';
import { renderInvoicePdf } from './invoices/render-pdf.ts';
import type { Order } from './order.ts';
import { OrderList } from './order-list.ts';
import { OrderQuestionLimit } from './order-question-limit.ts';
import { createOrders, type Orders } from './orders.ts';
import { createPapers } from './papers.ts';
import {
  changePaymentSettings,
  type PaymentSettings,
  type PaymentSettingsChange,
  readPaymentSettings,
} from './payment-settings.ts';
import { sellsSomething } from './play-money-rows.ts';
import { createProfitReports, type ProfitReports } from './profit.ts';
import { createReceipts, type Receipts } from './receipts.ts';
import { createRefunds, type Refunds } from './refunds.ts';
import { OrderSettlement } from './settle.ts';
import { createTransferReceipts, type TransferReceipts } from './transfer-receipts.ts';
import { wakeUnverified } from './unverified.ts';

export interface Payments {
  db: Database;
  clock: Clock;
  orders: Orders;
  /** Orders of all accounts, for staff. */
  orderList: OrderList;
  gifts: GiftCodes;
  gateways: GatewayDirectory;
  invoices: Invoices;
  invoicePdf: RenderPdf;
  refunds: Refunds;
  receipts: Receipts;
  /** What customers say about transfers that they made. */
  transferReceipts: TransferReceipts;
  profit: ProfitReports;
  /** Called before an outsider can make us ask a gateway. */
  questionLimit: OrderQuestionLimit;
  settings: {
    read(): Promise<PaymentSettings>;
    change(change: PaymentSettingsChange, actor: string): Promise<PaymentSettings>;
  };
  banks: {
    list(): Promise<BankAccount[]>;
    /** The id of this bank account, or of the first; throws when it does not exist. */
    find(id: string | undefined): Promise<string>;
    change(accounts: readonly BankAccountInput[], actor: string): Promise<void>;
  };
  /** Checks orders that did not end, at intervals. */
  start(background: Background): void;
}

export interface PaymentsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  log: Log;
  secrets: SecretBox;
  transport: UpstreamTransport;
  ledger: Books;
  accounts: AccountService;
  settings: SettingStore;
  dollarRate(): Promise<Money>;
  /** Whether there is a play bank at all. */
  sandboxAllowed: boolean;
  availableOf(accountId: string): Promise<Money>;
  /** Called inside the transaction that credits an order. */
  onCredited(tx: Queryable, order: Order): Promise<void>;
  /** Called inside the transaction that stores a customer's transfer receipt. */
  onReceipt(tx: Queryable, order: Order): Promise<void>;
  onChargeback(order: Order, disputeId: string): Promise<void>;
  /** Called when a gateway holds a payment that came from us and has no order. */
  onUnknownPayment(gateway: string, externalId: string): Promise<void>;
}

/** Short enough that a customer whose return got lost is still looking at the page. */
const RECONCILE_MS = 5_000;
const MAX_AT_ONCE = 50;
const UNVERIFIED_MS = 5 * 60_000;

export function createPayments(options: PaymentsOptions): Payments {
  const { db, clock } = options;
  const invoices = createInvoices({ ...options, settings: readPaymentSettings });
  const papers = createPapers({ ...options, invoices });
  const gateways = createGatewayDirectory({
    ...options,
    sandboxByDefault: async () => !(await sellsSomething(db, new Date(clock.now()))),
  });
  const settlement = new OrderSettlement({
    ...options,
    gatewayOf: (id) => gateways.evenIfOff(id),
    async onCredited(tx, order) {
      await invoices.issueFor(tx, order);
      await options.onCredited(tx, order);
    },
    papers,
  });
  const refunds = createRefunds({
    ...options,
    gateways,
    settlement,
    pauseOnChargeback: async () => (await readPaymentSettings(db)).pauseOnChargeback,
    papers,
    bankOf: (id) => bankOf(db, id),
  });
  const vatBasisPoints = async () => (await readPaymentSettings(db)).vatBasisPoints;
  const orders = createOrders({
    ...options,
    gateways,
    settlement,
    vatBasisPoints,
    bankOf: (id) => bankOf(db, id),
    onDispute: (gateway, disputeId) => refunds.dispute(gateway, disputeId),
  });
  return {
    db,
    clock,
    orders,
    orderList: new OrderList(options),
    gateways,
    invoices,
    invoicePdf: keptPdfs(clock, renderInvoicePdf),
    refunds,
    profit: createProfitReports(db, clock),
    receipts: createReceipts({ ...options, settlement, vatBasisPoints, bankOf: (id) => bankOf(db, id) }),
    transferReceipts: createTransferReceipts(options),
    questionLimit: new OrderQuestionLimit(clock),
    gifts: createGiftCodes({ ...options, settlement, gateways }),
    settings: {
      read: () => readPaymentSettings(db),
      async change(change, actor) {
        await changePaymentSettings(options.settings, change, actor);
        return readPaymentSettings(db);
      },
    },
    banks: {
      list: () => readBankAccounts(db),
      find: (id) => bankOf(db, id),
      change: (accounts, actor) => changeBankAccounts(db, options.settings, accounts, actor),
    },
    start(background) {
      background.every(RECONCILE_MS, 'payment reconciler', async () => {
        await settlement.checkDue(MAX_AT_ONCE);
      });
      background.every(UNVERIFIED_MS, 'unverified payments', () =>
        wakeUnverified({ ...options, gateways, onUnknown: options.onUnknownPayment }),
      );
    },
  };
}
