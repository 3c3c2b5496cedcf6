/** The public pages of models: their words, their dollar price, several filters at once, and small things that told untruths. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const MODEL = 'openai/gpt-5-mini';
let gateway: TestGateway;

beforeAll(async () => {
  vi.stubEnv('OPENAI_API_KEY', 'up-listed');
  vi.stubEnv('ANTHROPIC_API_KEY', 'up-listed');
  gateway = await startGateway();
  // What nobody confirmed is not shown.
  await admin('POST', '/selling/confirm', { exchange_rate: 100_000, margin: '0.1' });
  await eventually(async () => expect((await fetch(`${gateway.origin}/en/models/${MODEL}`)).status).toBe(200));
});
afterAll(async () => {
  await gateway?.stop();
  vi.unstubAllEnvs();
});

const read = async (path: string) => (await fetch(gateway.origin + path)).text();
const admin = async (method: string, path: string, body: object) => {
  const answer = await gateway.admin(method, `/api/admin${path}`, body);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
};

describe('the page of a model', () => {
  it('says what we ship, then what the operator says, then what we ship again; its price goes on following the list', async () => {
    expect(await read(`/en/models/${MODEL}`)).toContain('It is the small model of its generation');
    expect(await read(`/fa/models/${MODEL}`)).toContain('مدل کوچک نسل خودش است');
    const words = { fa: 'مدل پیش‌فرض پشتیبانی <ما>.', en: null };
    const described = await admin('PUT', `/models/${MODEL}/description`, words);
    expect(described).toMatchObject({ description_fa: words.fa, managed_by: 'catalog' });
    await eventually(async () => {
      expect(await read(`/fa/models/${MODEL}`)).toContain('مدل پیش‌فرض پشتیبانی &lt;ما&gt;.');
    });
    expect(await read(`/en/models/${MODEL}`)).toContain('It is the small model of its generation');
    await admin('PUT', `/models/${MODEL}/description`, { fa: null, en: null });
    await eventually(async () => {
      expect(await read(`/fa/models/${MODEL}`)).toContain('مدل کوچک نسل خودش است');
    });
  });

  it('names the dollar price of the list only where the operator switched it on', async () => {
    const dollars = /<bdi dir="ltr">\$0\.25<\/bdi>/;
    expect(await read(`/en/models/${MODEL}`)).not.toMatch(/\$\d/);
    await admin('PATCH', '/settings', { list_prices_shown: true });
    await eventually(async () => {
      expect(await read(`/en/models/${MODEL}`)).toMatch(dollars);
    });
    await admin('PATCH', '/settings', { list_prices_shown: false });
    await eventually(async () => {
      expect(await read(`/en/models/${MODEL}`)).not.toMatch(/\$\d/);
    });
  });
});

describe('the catalog', () => {
  const shown = (page: string) =>
    [...page.matchAll(/<tr (hidden )?data-find="([^ "]+)/g)].flatMap(([, hidden, id]) => (hidden ? [] : [id ?? '']));

  it('takes several filters at once from the address: any of the makers, all of the capabilities', async () => {
    const both = shown(await read('/en/catalog?vendor=openai&vendor=anthropic'));
    expect(new Set(both.map((id) => id.split('/')[0]))).toEqual(new Set(['openai', 'anthropic']));
    const page = await read('/en/catalog?vendor=openai&vendor=anthropic&capability=vision&capability=reasoning');
    const narrowed = shown(page);
    expect(narrowed.length).toBeGreaterThan(0);
    expect(narrowed.length).toBeLessThan(both.length);
    expect(narrowed).not.toContain('openai/gpt-4o');
    expect(page).toMatch(/value="anthropic" checked/);
    // The order in which they were chosen makes no other page.
    expect(await read('/en/catalog?vendor=anthropic&vendor=openai')).toBe(
      await read('/en/catalog?vendor=openai&vendor=anthropic'),
    );
  });

  it('looks for what the address says, and keeps the other rows for whoever changes the words', async () => {
    const page = await read('/en/catalog?vendor=openai&q=gpt-5-mini');
    expect(shown(page)).toEqual([MODEL]);
    expect(page).toMatch(/<tr hidden data-find="openai\/gpt-4o /);
    expect(page).toContain('value="gpt-5-mini"');
  });

  it('tells long contexts as people say them', async () => {
    expect(await read('/en/catalog?vendor=openai')).toContain('1.05M');
    expect(await read('/fa/catalog?vendor=openai')).toMatch(/۱٫۰۵\s?میلیون/);
  });
});

describe('other pages', () => {
  it('do not say that there was no incident while one is open', async () => {
    expect(await read('/en/status')).toContain('No incident was written down');
    const text = { fa: 'پاسخ‌ها دیر می‌رسند', en: 'Answers are late' };
    const opened = await gateway.admin('POST', '/api/admin/incidents', { title: text, text, impact: 'major' });
    expect(opened.ok, await opened.clone().text()).toBe(true);
    await eventually(async () => {
      const page = await read('/en/status');
      expect(page).toContain('Answers are late');
      expect(page).not.toContain('No incident was written down');
      expect(page).toContain('No other incident');
    });
  });

  it('keep the name of a header in one piece in Persian', async () => {
    expect(await read('/fa/docs')).toContain('<bdi class="nowrap" dir="ltr">x-svc-request-id</bdi>');
  });
});
