export { isWholeToman, rialOf, taxOn, tomanOfIranian } from './amounts.ts';
export type { BankAccount } from './bank-accounts.ts';
export { bankOfIban } from './bank-names.ts';
export { type GatewaySettlement, type PaymentGateway, PaymentUnreachable, type SettlementLine } from './gateway.ts';
export {
  createGatewayDirectory,
  type GatewayDirectory,
  type GatewayView,
  MOVES_NO_MONEY,
} from './gateway-directory.ts';
export { GatewayReach } from './gateway-reach.ts';
export type { SandboxPayment } from './gateways/sandbox-rows.ts';
export { findSandboxPayment, playSandboxPayment } from './gateways/sandbox-rows.ts';
export type { GiftCode } from './gift-code-rows.ts';
export { createGiftCodes, type GiftCodes } from './gift-codes.ts';
export {
  IN_OFFICIAL_SERIES,
  IN_RECEIPT_SERIES,
  type InvoiceSeries,
  invoiceNumber,
  readInvoiceNumber,
  seriesOf,
} from './invoices/invoice-number.ts';
export type { Invoice } from './invoices/invoice-rows.ts';
export { type InvoiceLanguage, invoiceText, isOfficial } from './invoices/invoice-text.ts';
export { invoiceTotal } from './invoices/invoices.ts';
export { jalaliDate } from './invoices/jalali-date.ts';
export type { LegalIdentity } from './invoices/legal-identity.ts';
export type { Order, OrderRefund } from './order.ts';
export { OrderList } from './order-list.ts';
export { type OrderEvent, stuckBefore } from './order-rows.ts';
export { type OrderStep, orderStepOf } from './order-step.ts';
export { createOrders, type Orders } from './orders.ts';
export { percentOfPoints } from './payment-settings.ts';
export { createPayments, type Payments } from './payments.ts';
export { sellsSomething } from './play-money-rows.ts';
export { createProfitReports, monthStart, type ProfitReports, type ProfitRow } from './profit.ts';
export { createReceipts, type Receipts } from './receipts.ts';
export type { RefundPart } from './refund-part-rows.ts';
export { createRefunds, type Refunds } from './refunds.ts';
export { OrderSettlement } from './settle.ts';
export { AGREED_MATCHES, NOT_SETTLED } from './settled-orders-sql.ts';
export type { TransferReceipt } from './transfer-receipt-rows.ts';
export { createTransferReceipts, type TransferReceipts } from './transfer-receipts.ts';
export { plainNumber } from './written-number.ts';
