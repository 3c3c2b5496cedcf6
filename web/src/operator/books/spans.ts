/** Months, seasons and years of the books by name. Their calendar is that of the books, whatever the reader's is. */
import { persianDigits } from '@dargah/core/persian-text.ts';
import { useMemo } from 'react';
import { useFormat } from '../../format.ts';
import { useAccountingTexts } from './texts.ts';

interface Named {
  id: string;
  first_day: string;
}

/** Jalali years are far below Gregorian ones. */
const isJalali = (id: string): boolean => Number(id.slice(0, 4)) < 1700;

export interface SpanNames {
  /** `آبان ۱۴۰۵`, `پاییز ۱۴۰۵`, `۱۴۰۵`. */
  name(span: Named): string;
  /** A day of the books, as the reader's calendar has it. */
  day(day: string): string;
}

export function useSpanNames(): SpanNames {
  const texts = useAccountingTexts();
  const format = useFormat();
  return useMemo(() => {
    const { language } = format;
    const digits = (text: string) => (language === 'fa' ? persianDigits(text) : text);
    const monthOf = (calendar: string, day: string) =>
      new Intl.DateTimeFormat(`${language === 'fa' ? 'fa' : 'en-GB'}-u-ca-${calendar}`, {
        month: 'long',
        timeZone: 'UTC',
      }).format(new Date(`${day}T12:00:00Z`));
    return {
      name({ id, first_day: first }) {
        const [year = '', part = ''] = id.split('-');
        if (part === '') return digits(year);
        const jalali = isJalali(id);
        if (!part.startsWith('q')) return `${monthOf(jalali ? 'persian' : 'gregory', first)} ${digits(year)}`;
        const names = jalali ? texts.seasons : texts.quarters;
        return `${names[Number(part.slice(1)) - 1] ?? part} ${digits(year)}`;
      },
      day: (day) => format.date(`${day}T12:00:00Z`),
    };
  }, [texts, format]);
}
