/**
 * Presses everything that can be pressed on a page of the operator's side. What would change something is noted and refused in the
 * page itself, so that every role finds the same service.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { countCalls, SETTLED } from './settled.ts';

export interface Act {
  method: string;
  path: string;
}

/** A picture of one dot. */
export const ONE_DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Runs in every page before its own scripts. */
const ANSWER_ACTS = `(() => {
  const ask = window.fetch;
  window.acts = [];
  window.fetch = (address, options = {}) => {
    const { method = 'GET' } = options;
    const { pathname } = new URL(address, location.href);
    // What only reckons is answered, since the act behind it waits for the answer.
    if (method === 'GET' || /preview$/.test(address)) return ask(address, options);
    window.acts.push({ method, path: pathname });
    const refusal = { error: { code: 'conflict', message: 'not now', type: 'conflict' } };
    return Promise.resolve(Response.json(refusal, { status: 409 }));
  };
})()`;

export async function answerInTheServersPlace(context: BrowserContext): Promise<void> {
  await countCalls(context);
  await context.addInitScript(ANSWER_ACTS);
}

/** What was asked for by the presses on the page at this address. */
export async function pressAll(page: Page, address: string): Promise<Act[]> {
  return page.evaluate<Act[]>(`(${PRESS_ALL})(${JSON.stringify(address)})`);
}

/**
 * Runs in the page; tabs and filters would lead away from it. What a press opens is filled in, by what each field asks for, and
 * pressed next.
 */
const PRESS_ALL = `async (address) => {
  const shown = ${SETTLED};
  const task = () => new Promise((done) => setTimeout(done));
  const settled = async () => {
    do await task();
    while (window.callsUnderWay > 0);
    await task();
  };
  const isThere = (element) => element.isConnected && element.getClientRects().length > 0 && !element.matches(':disabled');
  // The rows of a table are alike.
  const LEFT_OUT = '.seg, .filters, [aria-label="بستن"], tbody tr:nth-child(n + 6)';
  const FIELDS = ':is(main, dialog[open]) :is(input:not([type=checkbox], [type=file], [type=search]), textarea, select)';
  const labelOf = (field) => (field.labels?.[0]?.textContent ?? '') + ' ' + (field.getAttribute('aria-label') ?? '');
  const valueFor = (field) => {
    const label = labelOf(field);
    const asked = /بنویسید: (.+?)\\s*$/.exec(label);
    if (asked) return asked[1];
    if (field.matches('select')) return [...field.options].find(({ value }) => value !== '')?.value ?? '';
    if (field.inputMode === 'decimal' || field.inputMode === 'numeric') return '12';
    if (field.type === 'url' || /https?:|آدرس پایه|پروکسی/.test(label + field.placeholder)) return 'https://example.com/v1';
    if (/موبایل|ایمیل|گیرنده/.test(label)) return '09121112233';
    if (/شناسهٔ مدل|مدل‌ها/.test(label + field.placeholder)) return 'openai/gpt-5-mini';
    return 'abc-123';
  };
  const fill = () => {
    for (const field of document.querySelectorAll(FIELDS)) {
      if (!isThere(field) || field.value !== '') continue;
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, valueFor(field));
      field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input', { bubbles: true }));
    }
  };
  const attach = () => {
    for (const field of document.querySelectorAll('main input[type=file]')) {
      if (!field.isConnected || field.matches(':disabled') || wasPressed(field)) continue;
      remember(field);
      const dot = Uint8Array.from(atob('${ONE_DOT}'), (letter) => letter.charCodeAt(0));
      const files = new DataTransfer();
      files.items.add(new File([dot], 'dot.png', { type: 'image/png' }));
      field.files = files.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    }
  };
  // By its words, too: a button that reckoned first is then the one that does it.
  const pressed = (window.pressed ??= new WeakMap());
  const wasPressed = (element) => pressed.get(element)?.has(element.textContent) === true;
  // A press may bring a new button like itself, again and again.
  const counts = new Map();
  const nameOf = (element) => element.className + element.textContent + labelOf(element);
  const remember = (element) => {
    pressed.set(element, (pressed.get(element) ?? new Set()).add(element.textContent));
    counts.set(nameOf(element), (counts.get(nameOf(element)) ?? 0) + 1);
  };
  // What a press opened comes before what stands on the page; the lines of a menu are there also while it is closed.
  const PLACES = [
    'dialog[open] footer button',
    'main [role=menuitem]',
    'dialog[open] button',
    'main :is(button, input[type=checkbox])',
  ];
  const isNext = (element) =>
    !wasPressed(element) &&
    (counts.get(nameOf(element)) ?? 0) < 8 &&
    !element.closest(LEFT_OUT) &&
    (isThere(element) || element.matches('[role=menuitem]:enabled')) &&
    // Those that take back what is not saved yet.
    !element.matches('dialog footer .btn:not(.main, .stop, .danger), .commit .plain');
  const next = () => PLACES.flatMap((place) => [...document.querySelectorAll(place)]).find(isNext);
  const pressAll = async () => {
    counts.clear();
    history.pushState(null, '', address);
    await shown();
    let hasLeft = false;
    for (let presses = 0; presses < 300; presses++) {
      fill();
      attach();
      await settled();
      const element = next();
      if (element === undefined) return hasLeft;
      remember(element);
      element.click();
      await settled();
      hasLeft ||= location.pathname !== new URL(address, location.href).pathname;
    }
    return true;
  };
  // A press may lead away from what was not pressed yet.
  if (await pressAll()) await pressAll();
  return window.acts.splice(0);
}`;
