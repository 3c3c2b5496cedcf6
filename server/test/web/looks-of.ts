/** Widths and themes in which a page is looked at. */
import { LONG } from '../harness/long.ts';

export interface Look {
  width: 1280 | 360;
  theme: 'light' | 'dark';
}

/** All four with `npm run test:long`; else two, so that over both languages every width and every theme is seen. */
export function looksOf(language: 'fa' | 'en'): Look[] {
  const [first, second] = language === 'fa' ? ([360, 1280] as const) : ([1280, 360] as const);
  const few: Look[] = [
    { width: first, theme: 'light' },
    { width: second, theme: 'dark' },
  ];
  return LONG ? [...few, { width: first, theme: 'dark' }, { width: second, theme: 'light' }] : few;
}
