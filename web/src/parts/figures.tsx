/** What is counted: amounts, numbers with their unit, moments, and a value that becomes another. */
import type { ReactNode } from 'react';
import { useFormat } from '../format.ts';
import { useShared } from '../words/shared.ts';

/** Exact toman: whole in ink, fraction small and dim, never cut. */
export function Amount({ value, unit = false, tone }: { value: string; unit?: boolean; tone?: string }) {
  const format = useFormat();
  const words = useShared();
  const { whole, fraction } = format.amount(value);
  return (
    <span className={tone} title={`${value} ${words.toman}`}>
      <bdi className="amt" dir="ltr">
        {whole}
        {fraction !== '' && <small>{fraction}</small>}
      </bdi>
      {unit && <span className="unit"> {words.toman}</span>}
    </span>
  );
}

/** An amount in a column of numbers: the fraction has a fixed room, so that points stand above each other. */
export function AmountCell({ value, tone }: { value: string; tone?: string }) {
  const format = useFormat();
  const words = useShared();
  const { whole, fraction } = format.amount(value);
  return (
    <span className={tone} title={`${value} ${words.toman}`}>
      <bdi className="amt" dir="ltr">
        {whole}
        <small>{fraction}</small>
      </bdi>
      <span className="cell-unit">
        {' '}
        <span className="unit">{words.toman}</span>
      </span>
    </span>
  );
}

/** A number in a column; where the row folds and the head is gone, its unit stands beside it. */
export function Counted({ children, unit }: { children: ReactNode; unit: string }) {
  return (
    <>
      {children}
      <span className="cell-unit">
        {' '}
        <span className="unit">{unit}</span>
      </span>
    </>
  );
}

/** So many requests, accounts or documents. */
export function CountOf({ count, of }: { count: number; of: 'request' | 'account' | 'document' }) {
  const format = useFormat();
  const { one, more } = useShared().counted[of];
  return <Counted unit={count === 1 ? one : more}>{format.number(count)}</Counted>;
}

/** A moment: relative under a day, exact on hover with the other calendar. */
export function Moment({ at, exact = false }: { at: string | number; exact?: boolean }) {
  const format = useFormat();
  return (
    <time dateTime={new Date(at).toISOString()} title={`${format.dateTime(at)} · ${format.elsewhere(at)}`}>
      {exact ? format.dateTime(at) : format.ago(at)}
    </time>
  );
}

/** Stands between an old value and the new one, in the direction of reading. */
export function Becomes() {
  const { language } = useFormat();
  return <span aria-hidden="true">{language === 'fa' ? '←' : '→'}</span>;
}
