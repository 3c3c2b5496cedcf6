/** The system's own Chromium against a gateway with the built pages. */
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Download, type Page } from 'playwright-core';
import { inject } from 'vitest';
import { buildWebIfStale } from '../../bin/build-web.mjs';
import { LONG } from '../harness/long.ts';
import { scaled } from '../harness/slowness.ts';
import { type StartOptions, startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { CHROMIUM } from './chromium.ts';

export { CHROMIUM };

export const MAY_SKIP = CHROMIUM === undefined && process.env['CI'] === undefined;

/** For whatever a test waits for in a browser. */
export const TIMEOUT_MS = scaled(60_000);

/** Pictures for people to look at; not kept in the repository. */
const SHOTS = fileURLToPath(new URL('../../../coverage/shots/', import.meta.url));

/** A picture of a page, taken with `npm run test:long`: no test reads it. */
export async function takePicture(page: Page, name: string, { fullPage = false } = {}): Promise<void> {
  if (LONG) await page.screenshot({ path: `${SHOTS}${name}.png`, fullPage });
}

export interface Stage {
  gateway: TestGateway;
  browser: Browser;
  /** A browser of its own, with everything that went wrong in it. */
  open(options?: {
    locale?: string;
    width?: number;
  }): Promise<{ context: BrowserContext; page: Page; faults: string[] }>;
  /** The newest code the trial messenger sent to this number. */
  codeFor(to: string): Promise<string>;
  stop(): Promise<void>;
}

export async function openStage(options: StartOptions = {}): Promise<Stage> {
  if (CHROMIUM === undefined) throw new Error('no Chromium on this machine: install it or set CHROMIUM_PATH');
  await buildWebIfStale();
  const gateway = await startGateway(options);
  const browser = await chromium.connect(inject('sharedChromium'));
  return {
    gateway,
    browser,
    async open({ locale = 'fa-IR', width = 1280 } = {}) {
      // Nothing moves: colours that are still changing would be read as wrong ones.
      const context = await browser.newContext({ locale, viewport: { width, height: 900 }, reducedMotion: 'reduce' });
      context.setDefaultTimeout(TIMEOUT_MS);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        // A refusal that the page explains is no fault; a broken policy or an unknown error is.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(gateway.origin) && !/^(data|blob):/.test(request.url()))
          faults.push(`asked ${request.url()}`);
      });
      return { context, page, faults };
    },
    async codeFor(to) {
      // It is sent behind the answer that makes the page ask for it.
      return eventually(async () => {
        const { data } = (await (await gateway.admin('GET', '/api/admin/outbox?limit=50')).json()) as {
          data: { to: string; text: string }[];
        };
        const found = data.find((message) => message.to.endsWith(to.slice(-9)))?.text;
        const code = /\b\d{6}\b/.exec(found ?? '')?.[0];
        if (code === undefined) throw new Error(`no code for ${to} in the outbox`);
        return code;
      });
    },
    async stop() {
      await browser.close();
      await gateway.stop();
    },
  };
}

/** The shared Chromium keeps its downloads to itself; they are read through it. */
export async function textOfDownload(download: Download): Promise<string> {
  return text(await download.createReadStream());
}

/** Signs up (or in) through the trial messenger and waits for the overview. */
export async function signIn(stage: Stage, page: Page, mobile: string, name: string): Promise<void> {
  await page.goto(`${stage.gateway.origin}/console`);
  await page.fill('input[name=contact]', mobile);
  await page.click('form button[type=submit]');
  await page.waitForSelector('input[name=code]');
  await page.fill('input[name=code]', await stage.codeFor(mobile));
  await page.fill('input[name=name]', name);
  await page.click('form button[type=submit]');
  await page.waitForSelector('.page-head');
}

/** With the password that the operator chose after the first start. */
export async function signInAsOperator(stage: Stage, page: Page): Promise<void> {
  await page.goto(`${stage.gateway.origin}/operator`);
  await page.fill('input[type=password]', await stage.gateway.ownPassword());
  await page.click('form button[type=submit]');
  await page.waitForSelector('.page-head');
}
