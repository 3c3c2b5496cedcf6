export { type Book, type BookClass, bookOfLine } from '@dargah/core/chart.ts';
export { IS_GIFT } from './book-rows.ts';
export { chartInUse } from './booking.ts';
export { type BookBalance, type Books, createLedger, readWallet } from './books.ts';
export { bookCosts } from './cost-entries.ts';
export type { DeadLetter } from './dead-letters.ts';
export type { StoredDocument } from './documents.ts';
export { giftLeft } from './gift-left.ts';
export { GuaranteeCredits } from './guarantee-credits.ts';
export { FileJournal, type JournalOptions, openJournal } from './journal.ts';
export type { JournalHealth, JournalReader } from './journal-views.ts';
export type * from './ledger.ts';
export type { Movement } from './movement-rows.ts';
export { type DayCharge, readDayCharges, readMovements } from './movements.ts';
export {
  type Charge,
  chargeOf,
  chargeOfCached,
  decideOutcome,
  type Ending,
  limitCharge,
  type Outcome,
} from './outcome.ts';
export { Poster, type PosterHealth } from './poster.ts';
export { BOOK_OF_ORDER } from './proof/book-checks-sql.ts';
export { type BooksProofs, createBooksProofs } from './proof/books-proofs.ts';
export { monthSumsDigest } from './proof/closed-months-sql.ts';
export type * from './proof/proof.ts';
export { OPEN_BY_HAND, OPEN_ROWS } from './proof/rows-to-read-sql.ts';
export { JournalNotReadable, recoverJournal } from './recover.ts';
export { dayAfter, homeDay, startOfDay } from './seal/home-days.ts';
export { readSealClock } from './seal/seal-clock.ts';
export type { TransferDoer } from './transfer-list.ts';
export { type FoundTransfer, TransferSearch, type WideTransferFilter } from './transfer-search.ts';
