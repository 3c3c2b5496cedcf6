/** The list narrows while one types, and a choice is asked for at once. */
import { searchForm } from '@dargah/core/persian-text.ts';

export function searching(): void {
  const form = document.querySelector<HTMLFormElement>('[data-filters]');
  const input = document.querySelector<HTMLInputElement>('input[type=search]');
  if (input)
    document.addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      if (event.key !== '/' || target.closest('input, textarea, select, [contenteditable]')) return;
      event.preventDefault();
      input.focus();
    });
  if (!form || !input) return;
  form.addEventListener('change', (event) => {
    if (event.target instanceof HTMLSelectElement) submit(form);
  });
  for (const list of form.querySelectorAll<HTMLDetailsElement>('[data-several]')) several(form, list);
  const rows = [...document.querySelectorAll<HTMLElement>('[data-find]')];
  const count = document.querySelector<HTMLElement>('[data-count]');
  const none = document.querySelector<HTMLElement>('[data-none]');
  const all = count?.textContent ?? '';
  const numbers = new Intl.NumberFormat(document.documentElement.lang === 'fa' ? 'fa-IR' : 'en-US');
  input.addEventListener('input', () => {
    const wanted = searchForm(input.value.trim());
    keepInAddress(input.value.trim());
    for (const row of rows) row.hidden = !(row.dataset['find'] ?? '').includes(wanted);
    const found = rows.filter((row) => !row.hidden).length;
    if (none) none.hidden = found > 0;
    if (count)
      count.textContent =
        found === rows.length ? all : (count.dataset['count'] ?? '').replace('#', numbers.format(found));
  });
}

/**
 * Several can be chosen before the form is submitted, which happens when the list is closed, also by Escape or a click
 * elsewhere.
 */
function several(form: HTMLFormElement, list: HTMLDetailsElement): void {
  const chosen = () =>
    [...list.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value).join(' ');
  let before = chosen();
  list.addEventListener('toggle', () => {
    if (list.open) before = chosen();
    else if (chosen() !== before) submit(form);
  });
  document.addEventListener('click', (event) => {
    if (list.open && !list.contains(event.target as Node)) list.open = false;
  });
  list.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    list.open = false;
    list.querySelector('summary')?.focus();
  });
}

/** The search is in the address, so it can be shared and survives Back. */
function keepInAddress(wanted: string): void {
  const address = new URL(location.href);
  if (wanted === '') address.searchParams.delete('q');
  else address.searchParams.set('q', wanted);
  history.replaceState(history.state, '', address);
}

/** Empty choices are left out of the address. */
function submit(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select'))
    field.disabled = field.value === '';
  form.submit();
}
