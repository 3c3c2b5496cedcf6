/** Profit as one figure, or as the range in which it lies while too much of the cost is unknown. */
import { useFormat } from '../format.ts';
import { Amount } from '../parts/figures.tsx';
import { useShared } from '../texts/shared.ts';
import { useCostTexts } from './cost-texts.ts';

interface Profit {
  profit: string | null;
  profit_low: string;
  profit_high: string;
}

export function ProfitFigure({ of }: { of: Profit }) {
  const texts = useCostTexts();
  const shared = useShared();
  const format = useFormat();
  if (of.profit !== null) return <Amount value={of.profit} unit tone={of.profit.startsWith('-') ? 'bad' : ''} />;
  // Beside an unknown of thousands nobody needs the fraction.
  const whole = (text: string) => format.amount(text).whole;
  return (
    <span title={`${of.profit_low} … ${of.profit_high} ${shared.toman}`}>
      {texts.between(whole(of.profit_low), whole(of.profit_high))} <span className="unit">{shared.toman}</span>
    </span>
  );
}
