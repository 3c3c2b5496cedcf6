/** Public pages of the operator's texts: what is not written is not linked, what is hostile stays text, and what is kept is told as it is. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sectionsUpTo } from '../../src/http/pages/texts/whats-new.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { type Operator, operatorOf } from './operator.ts';

const PUBLIC = 'https://gate.example';
let gateway: TestGateway;
let operator: Operator;
let customer: Browser;

beforeAll(async () => {
  gateway = await startGateway({
    env: { DARGAH_PUBLIC_URL: PUBLIC },
    config: { settings: { idempotency_keep_ms: 5 * HOUR_MS } },
  });
  operator = await operatorOf(gateway);
  customer = new Browser(gateway);
  await customer.signIn('09121800001');
}, 120_000);
afterAll(() => gateway?.stop());

const pageAt = async (path: string) => (await gateway.fetch(path, { key: null })).text();
const footerOf = (page: string) => /<footer[\s\S]*<\/footer>/.exec(page)?.[0] ?? '';

describe('a text of the operator', () => {
  it('that nobody wrote is said to be unpublished, and is neither linked nor listed', async () => {
    const terms = await pageAt('/en/terms');
    expect(terms).toContain('Not published yet');
    expect(terms).toContain('noindex');
    expect(footerOf(terms)).not.toContain('/en/terms');
    expect(footerOf(terms)).not.toContain('/en/contact');
    expect(await pageAt('/sitemap.xml')).not.toContain('/terms');
  });

  it('is shown in its language, in the other one where there is no second, and linked from everywhere', async () => {
    await operator.put('/site-texts/terms', { fa: '## بند اول\n\n- یک', en: null });
    const [fa, en] = [await pageAt('/fa/terms'), await pageAt('/en/terms')];
    expect(fa).toContain('بند اول</h2>');
    expect(en).toContain('published in Persian only');
    expect(en).toMatch(/<div lang="fa" dir="rtl"><h2[^>]*>بند اول/);
    expect(footerOf(await pageAt('/en/status'))).toContain('href="/en/terms"');
    expect(await pageAt('/sitemap.xml')).toContain(`${PUBLIC}/fa/terms`);
    await operator.patch('/branding', { support_email: 'help@pol.example' });
    expect(await pageAt('/en/contact')).toContain('mailto:help@pol.example');
    expect(footerOf(await pageAt('/en/status'))).toContain('href="/en/contact"');
    await operator.put('/site-texts/terms', { fa: null, en: null });
    expect(footerOf(await pageAt('/en/terms'))).not.toContain('/en/terms');
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt&colon;alert(1))',
    '[x](data:text/html,<script>1</script>)',
    '[x](//evil.example)',
    '[x](https://good@evil.example/)',
    '![x](https://evil.example/a.png)',
    '<a href="javascript:alert(1)">x</a>',
    '[x](https://a.example/"onmouseover="alert(1))',
    '- <iframe src="https://evil.example">',
    '| a |\n|---|\n| <svg onload=alert(1)> |',
  ])('that is hostile stays text: %s', async (text) => {
    await operator.put('/site-texts/contact', { fa: text, en: text });
    const article = /<article[\s\S]*<\/article>/.exec(await pageAt('/en/contact'))?.[0] ?? '';
    expect(article).not.toMatch(
      /<(?!\/?(?:article|h[1-4]|p|ul|ol|li|a|bdi|strong|em|code|div|table|thead|tbody|tr|th|td)\b)/,
    );
    expect(article).not.toMatch(/<[^>]*\son\w+=/);
    for (const [, target] of article.matchAll(/href="([^"]*)"/g))
      expect(target).toMatch(/^(mailto:help@pol\.example|#|\/(en|console)|https:\/\/a\.example\/)/);
  });

  it('that is too long, too nested, or of a page that is not there is refused', async () => {
    const both = (text: string) => ({ fa: text, en: null });
    expect(await operator.refused('PUT', '/site-texts/terms', both('x'.repeat(60_001)))).toEqual([400, 'fa']);
    expect(await operator.refused('PUT', '/site-texts/terms', both(`${'>'.repeat(20_000)} x`))).toEqual([400, 'fa']);
    expect((await operator.refused('PUT', '/site-texts/imprint', both('x')))[0]).toBe(404);
  });
});

describe('what is kept', () => {
  const row = async (id: string) => {
    const { data } = (await customer.get<{ data: { id: string; until: { en: string } }[] }>('/privacy')).body;
    return data.find((one) => one.id === id)?.until.en;
  };
  const publicRow = async (id: string) => {
    const page = await pageAt('/en/privacy');
    return new RegExp(`<tr id="${id}"><td>[\\s\\S]*?</td><td[^>]*>([^<]*)</td>`).exec(page)?.[1];
  };

  it('follows the file, the settings of the service, of the account and of its keys', async () => {
    expect([await row('idempotent'), await publicRow('idempotent')]).toEqual(['5 hours', '5 hours']);
    expect([await row('requests'), await publicRow('requests')]).toEqual(['90 days', '90 days']);
    await operator.patch('/settings', { log_retention_days: 12, response_store_keep_ms: 0 });
    expect([await row('requests'), await publicRow('requests')]).toEqual(['12 days', '12 days']);
    expect([await row('responses'), await publicRow('responses')]).toEqual(['Not kept', 'Not kept']);
    expect(await row('texts')).toBe('Not kept');
    await customer.patch('/account', { log_prompts: { enabled: true, days: 30 } });
    expect(await row('texts')).toBe('30 days');
    await operator.patch('/settings', { prompt_log_max_days: 4 });
    expect([await row('texts'), await publicRow('texts')]).toEqual([
      '4 days',
      'Only if the account asks for it, 4 days at most',
    ]);
    const key = { name: 'silent', log_prompts: { enabled: false } };
    await customer.post('/keys', key);
    const { keys } = (await customer.get<{ keys: { name: string; until: { en: string } }[] }>('/privacy')).body;
    expect(keys.map(({ name, until }) => [name, until.en])).toEqual([['silent', 'Not kept']]);
  });
});

describe('the changelog', () => {
  it('shows what is out, in both languages, and is linked', async () => {
    const [fa, en] = [await pageAt('/fa/changelog'), await pageAt('/en/changelog')];
    for (const page of [fa, en]) expect(page).toContain('>0.1.0</h2>');
    expect(footerOf(en)).toContain('href="/en/changelog"');
    expect(await pageAt('/sitemap.xml')).toContain(`${PUBLIC}/en/changelog`);
  });

  it('leaves out versions that are newer than what runs', () => {
    const text = '# C\n\nhead\n\n## 0.3.0\n\nnew\n\n## 0.2.1\n\nold\n';
    expect(sectionsUpTo(text, '0.2.0')).toBe('# C\n\nhead\n\n## 0.2.1\n\nold\n');
  });
});
