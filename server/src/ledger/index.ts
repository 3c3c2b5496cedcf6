export { type Books, createLedger, readWallet } from './books.ts';
export type { DeadLetter } from './dead-letters.ts';
export { FileJournal, type JournalOptions, openJournal } from './journal.ts';
export type { JournalHealth, JournalReader } from './journal-views.ts';
export type * from './ledger.ts';
export { type Charge, chargeOf, decideOutcome, type Ending, limitCharge, type Outcome } from './outcome.ts';
export { Poster, type PosterHealth } from './poster.ts';
export { JournalNotReadable, recoverJournal } from './recover.ts';
export type { TransferDoer } from './transfer-list.ts';
