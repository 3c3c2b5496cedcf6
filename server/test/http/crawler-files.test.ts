/** What search engines are told, and that a stranger's Host header never becomes an address of ours. */
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { type CrawledSite, crawlerFiles } from '../../src/http/pages/crawler-files.ts';

const NONE = { fa: null, en: null };

async function read(path: string, publicUrl?: string) {
  const app = Fastify();
  const catalog = { models: new Map([['maker/one&two', {}]]) };
  const site = {
    catalog: () => catalog,
    brand: () => ({ support: {} }),
    siteTexts: () => ({ terms: NONE, privacy: NONE, contact: NONE }),
    publicUrl,
  };
  crawlerFiles(app, site as unknown as CrawledSite);
  const answer = await app.inject({ url: path, headers: { host: 'evil.example' } });
  await app.close();
  return answer;
}

describe('search engines', () => {
  it('are kept out of what belongs to people, and led to the list of pages', async () => {
    const { body } = await read('/robots.txt', 'https://gate.example');
    expect(body).toContain('Disallow: /console\nDisallow: /operator\n');
    expect(body).toContain('Sitemap: https://gate.example/sitemap.xml');
  });

  it('get every page in both languages, each with its twin', async () => {
    const { body } = await read('/sitemap.xml', 'https://gate.example');
    expect(body).toContain('<loc>https://gate.example/fa/catalog</loc>');
    expect(body).toMatch(/<loc>https:\/\/gate\.example\/en\/models\/maker\/one(&amp;|%26)two<\/loc>/);
    expect(body).toContain('hreflang="fa" href="https://gate.example/fa/status"');
    expect(body).not.toContain('evil');
  });

  it('get no list where the public address is not known', async () => {
    expect((await read('/sitemap.xml')).statusCode).not.toBe(200);
    expect((await read('/robots.txt')).body).not.toContain('Sitemap');
  });
});
