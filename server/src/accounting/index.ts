export type { Approval } from './approvals.ts';
export { type Bills, createBills, type ProviderBill } from './bills.ts';
export { type BooksReports, type BooksReportsOptions, createBooksReports } from './books-reports.ts';
export {
  type CostCorrection,
  type CostCorrections,
  correctionView,
  createCostCorrections,
} from './cost-corrections.ts';
export { type CostTasks, type CostTasksOptions, costTasks } from './cost-tasks.ts';
export { requireCovered } from './covered.ts';
export { type CreditByHand, createCreditByHand, type Given } from './credit-by-hand.ts';
export { type CreditLimits, checkLimits, type LimitPair } from './credit-limits.ts';
export { writeCsv } from './csv-file.ts';
export { type CutOverOptions, type CutOverResult, cutOver } from './cut-over.ts';
export { createDocumentFiles, type DocumentFile, type DocumentFiles } from './document-files.ts';
export { type DocumentRow, listDocuments, requireEntry } from './document-list.ts';
export * from './events.ts';
export { endGifts } from './gift-ends.ts';
export { type HandAct, handAct } from './hand-act.ts';
export { entriesOfYesterday, type HandEntry } from './hand-entries.ts';
export type { InvoiceFilter, ListedInvoice } from './invoice-list.ts';
export type { MonthCheckResult } from './month-checks.ts';
export type { JournalPlace, MonthJournalLine } from './month-journal.ts';
export type { BooksSpan } from './months.ts';
export * from './open-items.ts';
export { type BooksPeriod, createPeriods, type Periods } from './periods.ts';
export { MAKERS as REPORT_MAKERS } from './report-files.ts';
export type { StoredLine, StoredSettlement } from './settlement-rows.ts';
export type { SettlementSums } from './settlement-sums.ts';
export { createSettlements, type Settlements } from './settlements.ts';
export { checkTransfer } from './transfer-check.ts';
export { type VatSeason, vatTotal } from './vat.ts';
