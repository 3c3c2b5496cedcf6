/** Whether the books agree, always visible to all staff. It reads the stored result and starts nothing. */

import type { getBooksState } from '@dargah/api/admin/proofs.ts';
import { CHECK_NAMES } from '@dargah/core/check-names.ts';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Result } from '../api/call.ts';
import { useRead } from '../api/read.ts';
import { type Format, useFormat } from '../format.ts';
import { Pill, type Tone } from '../parts/pill.tsx';
import { useLanguage } from '../texts/dictionary.tsx';
import { useBooksTexts } from './books-texts.ts';

export type BooksState = Result<typeof getBooksState>;

const AGAIN_MS = 60_000;
/** A longer text is in the tooltip and on the page of proofs. */
const MAX_BESIDE = 70;
const TONES: Record<BooksState['state'], Tone> = { proven: 'ok', disagree: 'bad', unproven: 'warn', never: 'off' };

export function useBooksState() {
  const read = useRead<typeof getBooksState>('GET /api/admin/books-state', {});
  const { refetch } = read;
  useEffect(() => {
    const timer = setInterval(() => void refetch(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [refetch]);
  return read;
}

/** What the pill's word means: until when, since when, which check, for what reason. */
export function useBooksSentence(): (state: BooksState) => string {
  const texts = useBooksTexts();
  const format = useFormat();
  const language = useLanguage();
  return ({ state, proved_at: at, proved_until: until, checks, reason }) => {
    const failed = checks.map(({ id, name }) => CHECK_NAMES[id]?.[language] ?? name);
    if (state === 'disagree') return failed.join(language === 'fa' ? '، ' : ', ');
    const why = reason === null ? [] : [texts.because(reason)];
    if (state === 'never') return [texts.nobodyYet, ...why].join(' ');
    if (at === null) return why.join(' ');
    if (state === 'unproven') return [texts.since(format.dateTime(at)), ...why].join(language === 'fa' ? '؛ ' : '; ');
    return until === null ? texts.provenAt(hour(format, at)) : texts.provenUntil(format.date(until), hour(format, at));
  };
}

/** `04:12` of today; another day with its date. */
function hour(format: Format, at: string): string {
  const isToday = format.date(at) === format.date(Date.now());
  return isToday ? format.clock(at).slice(0, -3) : format.dateTime(at);
}

export function BooksPill({ linked }: { linked: boolean }) {
  const texts = useBooksTexts();
  const sentence = useBooksSentence();
  const { data } = useBooksState();
  const pill = (
    <Pill tone={data === undefined ? 'off' : TONES[data.state]}>{texts.state[data?.state ?? 'unknown']}</Pill>
  );
  const title = data === undefined ? undefined : sentence(data);
  const said =
    title !== undefined && title.length <= MAX_BESIDE ? <span className="hs xs dim">{title}</span> : undefined;
  const run = data?.run_id == null ? '' : `?run=${data.run_id}`;
  if (!linked)
    return (
      <span title={title}>
        {pill} {said}
      </span>
    );
  return (
    <Link href={`/operator/ledger/proofs${run}`} title={title}>
      {pill} {said}
    </Link>
  );
}
