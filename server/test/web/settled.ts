/**
 * When a page of the console or of the operator's side has shown what it was asked for. The page itself knows: a question from here
 * goes through three processes and back, and a silent network is only believed after half a second.
 */
import type { BrowserContext, Page } from 'playwright-core';

/** Runs in every page before its own scripts: how many calls are under way. */
const COUNT_CALLS = `(() => {
  const ask = window.fetch;
  window.callsUnderWay = 0;
  window.fetch = async (...call) => {
    window.callsUnderWay++;
    try {
      const answered = await ask(...call);
      await answered.clone().arrayBuffer();
      return answered;
    } finally {
      window.callsUnderWay--;
    }
  };
})()`;

/** Runs in the page: nothing is asked any more, no skeleton is left, and the fonts are there. */
export const SETTLED = `async () => {
  const isShown = () =>
    window.callsUnderWay === 0 &&
    document.querySelector('.page-head, .desk, .empty, dialog[open]') !== null &&
    document.querySelector('main .skel') === null;
  // What an answer leads to is shown, and asked, some tasks after it came.
  for (let times = 0; times < 3; times = isShown() ? times + 1 : 0) await new Promise((done) => setTimeout(done));
  await document.fonts.ready;
}`;

export async function countCalls(context: BrowserContext): Promise<void> {
  await context.addInitScript(COUNT_CALLS);
}

/** Goes there as a link does it: the page changes without being loaded again. */
export async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`(history.pushState(null, '', ${JSON.stringify(address)}), (${SETTLED})())`);
}

export async function settled(page: Page): Promise<void> {
  await page.evaluate(`(${SETTLED})()`);
}
