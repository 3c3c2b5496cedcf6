/** A price of any kind of model in one cell: tokens by input and output, everything else with its own unit. */
import { useFormat } from '../../format.ts';
import { AmountCell } from '../../parts/figures.tsx';
import { fieldsOf } from '../models/money-fields.ts';
import { useOfferTexts } from './offer-texts.ts';

type Unit = keyof ReturnType<typeof useOfferTexts>['units'];
/** The units that replace the input where a model does not read tokens. */
const INSTEAD: readonly Unit[] = [
  'characters',
  'seconds',
  'searches',
  'images',
  'image_output',
  'audio_input',
  'audio_cache_read',
  'request',
];

export function unitOfInput(fields: Record<string, string>): Unit | undefined {
  if (fields['input'] !== undefined) return 'input';
  return INSTEAD.find((unit) => fields[unit] !== undefined && (unit !== 'request' || Number(fields[unit]) > 0));
}

/** The column of inputs: speech has its characters there, transcription its seconds. */
export function InputPrice({ price }: { price: object }) {
  const { units } = useOfferTexts();
  const fields = fieldsOf(price);
  const unit = unitOfInput(fields);
  if (unit === undefined) return null;
  return (
    <>
      <AmountCell value={fields[unit] ?? '0'} />
      {unit !== 'input' && <span className="sub">{units[unit]}</span>}
    </>
  );
}

/** Both in one cell, for tables with many columns; `short` where another cell of the row tells of tiers. */
export function BothUnits({ price, short = false }: { price: object & { tiers?: unknown[] }; short?: boolean }) {
  const texts = useOfferTexts();
  const format = useFormat();
  const fields = fieldsOf(price);
  const unit = unitOfInput(fields);
  if (unit === undefined) return null;
  return (
    <>
      <bdi className="amt" dir="ltr">
        {unit === 'input' && fields['output'] !== undefined
          ? `${format.money(fields['input'] ?? '0')} / ${format.money(fields['output'])}`
          : format.money(fields[unit] ?? '0')}
      </bdi>
      {unit !== 'input' && <span className="sub">{texts.units[unit]}</span>}
      {!short && (price.tiers ?? []).length > 0 && (
        <span className="sub">{texts.tiers(format.number((price.tiers ?? []).length))}</span>
      )}
    </>
  );
}
