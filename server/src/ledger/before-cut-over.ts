/**
 * Lines in the form in which 0.1.0 books them. While a process of 0.1.0 is connected, its own proof of the books must
 * hold: what was paid in is in `cash`, what was given in `adjustments`, and tax and fees are in no book. The cut-over
 * (accounting/cut-over.ts) moves all of it later. This file is removed with the version after the next.
 */
import { bookOf } from '@dargah/core/chart.ts';
import type { BookLine } from './ledger.ts';

const BEFORE: Readonly<Record<string, string>> = {
  'bank:': 'cash',
  'gateway:': 'cash',
  undocumented: 'cash',
  unmatched: 'cash',
  'play-money': 'cash',
  promotions: 'adjustments',
  corrections: 'adjustments',
  'bad-debt': 'adjustments',
};

/** Undefined for a line between books of our own, which 0.1.0 does not write. */
export function lineBefore(line: BookLine): BookLine | undefined {
  const wallet = [line.debit, line.credit].find((book) => book.startsWith('wallet:'));
  if (wallet === undefined) return undefined;
  const other = (book: string) => {
    if (book === 'play-money' && line.kind === 'opening') return 'opening';
    return BEFORE[bookOf(book)?.id ?? ''] ?? book;
  };
  return { ...line, kind: kindBefore(line.kind), debit: other(line.debit), credit: other(line.credit) };
}

/** New kinds had another name in 0.1.0, or none. */
export function kindBefore(kind: BookLine['kind']): BookLine['kind'] {
  if (kind === 'guarantee') return 'refund';
  return kind === 'gift' || kind === 'bad-debt' || kind === 'unmatched' ? 'adjustment' : kind;
}
