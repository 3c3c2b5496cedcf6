/** Days, months and seasons of the books in the interface. */
import Type from 'typebox';

export const BooksDay = Type.String({ description: 'A day of Tehran, `2026-11-15`.' });
export const BooksDayInput = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  description: 'A day of Tehran, `2026-11-15`.',
});
export const MonthInput = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}$',
  description: "A month of the books' calendar: `1405-08` or `2026-11`.",
});
export const SeasonInput = Type.String({
  pattern: '^[0-9]{4}-q[1-4]$',
  description: "A season of the books' calendar: `1405-q3`.",
});
export const OneAccountId = Type.Optional(Type.String({ maxLength: 64 }));
export const TAX_STATES = ['not-sent', 'sent', 'accepted', 'refused'] as const;

export const spanFields = {
  id: Type.String({ examples: ['1405-08'] }),
  first_day: BooksDay,
  last_day: BooksDay,
};

export const dayRange = { from: Type.Optional(BooksDayInput), to: Type.Optional(BooksDayInput) };
export const REPORT_SPANS = ['month', 'quarter', 'year'] as const;
