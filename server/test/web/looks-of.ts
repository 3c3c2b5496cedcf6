/** Widths and themes in which a page is looked at, and what axe is asked there. */
import { LONG } from '../harness/long.ts';

export interface Look {
  width: 1280 | 360;
  theme: 'light' | 'dark';
  /** What axe is asked; null where only the layout is measured. */
  axe: object | null;
}

/** Left out where axe looks: the rows of a long table are alike, and most of what it would look at. */
export const ALIKE = LONG ? [] : ['tbody tr:nth-child(n + 13)'];

const EVERYTHING = { resultTypes: ['violations'] };
/** In the dark only colours can differ. */
const COLOURS = { ...EVERYTHING, runOnly: ['color-contrast'] };

/**
 * All four with `npm run test:long`; else two, so that over both languages every width and every theme is seen. axe takes most of
 * the time and finds the same in both languages: it looks at a page once in the light and once in the dark, by turns of the
 * language. The layout is measured in every look.
 */
export function looksOf(language: 'fa' | 'en', place: number): Look[] {
  const [first, second] = language === 'fa' ? ([360, 1280] as const) : ([1280, 360] as const);
  const inTheLight = (place % 2 === 0) === (language === 'fa');
  const few: Look[] = [
    { width: first, theme: 'light', axe: LONG || inTheLight ? EVERYTHING : null },
    { width: second, theme: 'dark', axe: LONG || !inTheLight ? COLOURS : null },
  ];
  if (!LONG) return few;
  return [...few, { width: first, theme: 'dark', axe: COLOURS }, { width: second, theme: 'light', axe: EVERYTHING }];
}
