/** What became of the guarantee on an answer: what was mended, and the credit where it was broken. */
import { labelOf } from '../texts/dictionary.tsx';
import { useTexts } from '../texts/receipt-texts.ts';
import { Amount } from './figures.tsx';

interface Guaranteed {
  guarantee: string | null;
  repair: readonly string[];
  guarantee_credit?: { state: string; amount: string } | undefined;
}

export function ReceiptGuarantee({ receipt }: { receipt: Guaranteed }) {
  const texts = useTexts();
  const { guarantee, repair, guarantee_credit: credit } = receipt;
  if (guarantee === null) return null;
  return (
    <section>
      <h3>{texts.guarantee}</h3>
      <p className="mid text">{labelOf(texts.guaranteeStates, guarantee) ?? guarantee}</p>
      {repair.length > 0 && (
        <ul className="mid text">
          {repair.map((one) => (
            <li key={one}>{labelOf(texts.repairs, one) ?? one}</li>
          ))}
        </ul>
      )}
      {credit !== undefined && (
        <p className="row between">
          <span>{labelOf(texts.creditStates, credit.state) ?? credit.state}</span>
          {credit.state !== 'over' && <Amount value={credit.amount} unit />}
        </p>
      )}
    </section>
  );
}
