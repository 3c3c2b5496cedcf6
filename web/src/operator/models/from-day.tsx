/** The day from which a price applies: now, or a later day, until which it is announced. */
import { addDays, type Day, dayAt } from '../../calendar.ts';
import { DateField } from '../../parts/date-field.tsx';
import { usePreferences } from '../../preferences.tsx';
import { useModelTexts } from './texts.ts';

export function FromDay({ value, onChange }: { value: Day | null; onChange(next: Day | null): void }) {
  const texts = useModelTexts();
  const { timeZone } = usePreferences();
  return (
    <DateField
      label={texts.when}
      hint={texts.whenHint}
      empty={texts.now}
      earliest={addDays(dayAt(Date.now(), timeZone), 1)}
      value={value}
      onChange={onChange}
    />
  );
}
