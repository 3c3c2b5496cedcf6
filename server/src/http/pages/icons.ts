/** Drawings on a grid of 16, written once per page and used by name. */
import { html, Markup } from './markup.ts';

const PATHS = {
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  down: 'M4 6l4 4 4-4',
  moon: 'M13.500 9.500A5.800 5.800 0 0 1 6.500 2.500a5.800 5.800 0 1 0 7 7z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.700 10.700 14 14',
  x: 'M4 4l8 8M12 4l-8 8',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.800V8l2.200 1.500',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  next: 'M6 4l4 4-4 4',
  check: 'M3.500 8.500l3 3 6-7',
  warn: 'M8 2.500 14 13H2zM8 6.500v3M8 11.200v.1',
} as const;

export type Icon = keyof typeof PATHS;

export function icon(name: Icon, flips = false): Markup {
  return html`<svg class="glyph${flips ? ' flip' : ''}" aria-hidden="true"><use href="#i-${name}"/></svg>`;
}

export const DRAWINGS: Markup = new Markup(
  `<svg width="0" height="0" class="vh" aria-hidden="true">${Object.entries(PATHS)
    .map(([name, path]) => `<symbol id="i-${name}" viewBox="0 0 16 16"><path d="${path}"/></symbol>`)
    .join('')}</svg>`,
);

export const LOGO: Markup = new Markup(
  '<svg viewBox="0 0 24 24" aria-hidden="true" fill="currentColor"><path fill-rule="evenodd" d="M2 1.500h20v21h-4V13.200c0-3.300-2.700-4.700-6-7.900-3.300 3.200-6 4.600-6 7.900v9.300H2z"/></svg>',
);
