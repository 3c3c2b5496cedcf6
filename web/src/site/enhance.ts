/** What script adds to the public pages, all of which work without it: theme, copying, tabs, search while typing, reckoning. */
import { reckoning } from './reckoning.ts';
import { searching } from './searching.ts';
import { tabs } from './tabs.ts';

const root = document.documentElement;

function keep(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser.
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; SameSite=Lax${location.protocol === 'https:' ? '; Secure' : ''}`;
}

function themeSwitch(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-theme-switch]')) {
    button.hidden = false;
    button.addEventListener('click', () => {
      const isDark = root.dataset['theme']
        ? root.dataset['theme'] === 'dark'
        : matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset['theme'] = isDark ? 'light' : 'dark';
      keep('dargah_theme', root.dataset['theme']);
    });
  }
}

/** The console follows the language that was chosen here. */
function languageSwitch(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-language]'))
    link.addEventListener('click', () => keep('dargah_lang', link.dataset['language'] ?? 'fa'));
}

function copying(): void {
  const said = document.querySelector<HTMLElement>('[data-said]');
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy], [data-copy-code]');
    if (!button) return;
    const text = button.dataset['copy'] ?? button.closest('.code-box')?.querySelector('code')?.textContent ?? '';
    navigator.clipboard?.writeText(text).then(
      () => {
        button.classList.add('copied');
        if (said) said.textContent = said.dataset['copied'] ?? '';
        setTimeout(() => button.classList.remove('copied'), 1500);
      },
      () => undefined,
    );
  });
}

/** An address that names a folded part opens it. */
function unfold(): void {
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (part instanceof HTMLDetailsElement) part.open = true;
}

const MAX_COMPARED = 4;

/** Up to four models can be marked; the tray appears with the first. */
function comparing(): void {
  const form = document.querySelector<HTMLFormElement>('[data-compare]');
  if (!form) return;
  const boxes = [...document.querySelectorAll<HTMLInputElement>('input[form=compare]')];
  const show = () => {
    const marked = boxes.filter(({ checked }) => checked).length;
    form.hidden = marked === 0;
    for (const box of boxes) box.disabled = !box.checked && marked >= MAX_COMPARED;
  };
  for (const box of boxes) box.addEventListener('change', show);
  show();
}

for (const part of document.querySelectorAll<HTMLElement>('[data-without-script]')) part.hidden = true;
root.classList.add('with-script');
/** On a phone the table of contents would push away what it leads to. */
if (matchMedia('(max-width: 60rem)').matches)
  for (const part of document.querySelectorAll<HTMLDetailsElement>('.contents details')) part.open = false;
themeSwitch();
languageSwitch();
copying();
unfold();
addEventListener('hashchange', unfold);
tabs();
searching();
comparing();
reckoning();
