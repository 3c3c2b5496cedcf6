/** Amounts of a settlement in its own unit, and the colour of its state. */
import { AmountCell } from '../../../parts/figures.tsx';
import type { Tone } from '../../../parts/pill.tsx';

export const SETTLEMENT_TONES: Record<'read' | 'matched' | 'booked', Tone> = {
  read: 'warn',
  matched: 'ok',
  booked: 'off',
};

/** Rial and toman as toman, a currency with its own name. */
export function Units({ value, unit }: { value: string; unit: string }) {
  if (unit === 'IRT') return <AmountCell value={value} />;
  const sign = value.startsWith('-') ? '-' : '';
  const digits = value.replace('-', '').padStart(3, '0');
  if (unit === 'IRR')
    return <AmountCell value={`${sign}${value.replace('-', '').padStart(2, '0').slice(0, -1)}.${digits.slice(-1)}`} />;
  return (
    <bdi className="num">
      {sign}
      {digits.slice(0, -2)}.{digits.slice(-2)} {unit}
    </bdi>
  );
}
