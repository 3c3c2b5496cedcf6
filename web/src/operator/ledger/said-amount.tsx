import { AmountCell } from '../../parts/figures.tsx';

/** An amount in a column; where the row folds and two amounts stand above each other, each says which it is. */
export function SaidAmount({ as, amount, tone }: { as: string; amount: string; tone?: string }) {
  return (
    <>
      <span className="cell-unit">
        <span className="unit">{as}</span>{' '}
      </span>
      <AmountCell value={amount} {...(tone === undefined ? {} : { tone })} />
    </>
  );
}
