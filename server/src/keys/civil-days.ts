/** Days of both calendars, counted from 1970-01-01, by integer arithmetic alone. */
import type { Calendar } from './rules.ts';

interface CivilDate {
  year: number;
  /** The month, 1–12. */
  month: number;
  day: number;
}

interface DayArithmetic {
  toDay(year: number, month: number, day: number): number;
  fromDay(epochDay: number): CivilDate;
}

/** March-based years put the leap day last, so that month lengths follow one linear formula. */
export const gregorian: DayArithmetic = {
  toDay(year, month, day) {
    const marchYear = month <= 2 ? year - 1 : year;
    const era = Math.floor(marchYear / 400);
    const yearOfEra = marchYear - era * 400;
    const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
    const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
    return era * 146_097 + dayOfEra - 719_468;
  },
  fromDay(epochDay) {
    const shifted = epochDay + 719_468;
    const era = Math.floor(shifted / 146_097);
    const dayOfEra = shifted - era * 146_097;
    const yearOfEra = Math.floor(
      (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
    );
    const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
    const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
    const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
    return {
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
      month,
      day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    };
  },
};

/** 1 Farvardin 1 in days from 1970-01-01. */
const JALALI_EPOCH_DAY = -492_268;

/** First day of a Jalali year. Eight leap years in 33: agrees with the astronomical calendar for 1178–1502. */
function nowruz(year: number): number {
  return JALALI_EPOCH_DAY + 365 * (year - 1) + Math.floor((8 * year + 21) / 33);
}

/** Six months of 31 days, five of 30, the last 29 or 30. */
export const jalali: DayArithmetic = {
  toDay(year, month, day) {
    const before = month <= 7 ? (month - 1) * 31 : (month - 1) * 30 + 6;
    return nowruz(year) + before + day - 1;
  },
  fromDay(epochDay) {
    let year = 1 + Math.floor((33 * (epochDay - JALALI_EPOCH_DAY) + 3) / 12_053);
    // The estimate is at most one year off at the turn of a year.
    if (epochDay < nowruz(year)) year--;
    else if (epochDay >= nowruz(year + 1)) year++;
    const dayOfYear = epochDay - nowruz(year);
    const month = dayOfYear < 186 ? Math.floor(dayOfYear / 31) + 1 : Math.floor((dayOfYear - 6) / 30) + 1;
    return { year, month, day: epochDay - jalali.toDay(year, month, 1) + 1 };
  },
};

export function arithmeticOf(month: Calendar['month']): DayArithmetic {
  return month === 'jalali' ? jalali : gregorian;
}
