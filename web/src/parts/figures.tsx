/** What is counted: amounts, numbers with their unit, moments, and a value that becomes another. */
import type { ReactNode } from 'react';
import { useFormat } from '../format.ts';
import { useShared } from '../texts/shared.ts';

/** Exact toman: whole in ink, fraction small and dim, never cut. */
export function Amount({ value, unit = false, tone }: { value: string; unit?: boolean; tone?: string }) {
  const texts = useShared();
  return (
    <Toman value={value} tone={tone}>
      {unit && <span className="unit"> {texts.toman}</span>}
    </Toman>
  );
}

/** An amount in a column of numbers: the fraction has a fixed width, so that the decimal points align. */
export function AmountCell({ value, tone }: { value: string; tone?: string }) {
  const texts = useShared();
  return (
    <Toman value={value} tone={tone} column>
      <CellUnit unit={texts.toman} />
    </Toman>
  );
}

interface TomanParts {
  value: string;
  tone: string | undefined;
  /** In a column an amount without a fraction keeps the fraction's width. */
  column?: boolean;
  children: ReactNode;
}

/** The figure itself, with what follows it. */
function Toman({ value, tone, column = false, children }: TomanParts) {
  const format = useFormat();
  const texts = useShared();
  const { whole, fraction } = format.amount(value);
  return (
    <span className={tone} title={`${value} ${texts.toman}`}>
      <bdi className="amt" dir="ltr">
        {whole}
        {(column || fraction !== '') && <small>{fraction}</small>}
      </bdi>
      {children}
    </span>
  );
}

/** A number in a column; where the row folds and the head is gone, its unit stands beside it. */
export function Counted({ children, unit }: { children: ReactNode; unit: string }) {
  return (
    <>
      {children}
      <CellUnit unit={unit} />
    </>
  );
}

function CellUnit({ unit }: { unit: string }) {
  return (
    <span className="cell-unit">
      {' '}
      <span className="unit">{unit}</span>
    </span>
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
