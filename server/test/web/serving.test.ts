/** The built console over HTTP: its policy, its files, its size. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWebIfStale } from '../../bin/build-web.mjs';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const dist = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
let gateway: TestGateway;

beforeAll(async () => {
  await buildWebIfStale();
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

interface Area {
  script: string;
  first: string[];
  pages: Record<string, string[]>;
}

async function manifest(): Promise<{ console: Area; operator: Area }> {
  return JSON.parse(await readFile(`${dist}manifest.json`, 'utf8'));
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.origin + path, { headers });

describe('the page of the console', () => {
  it('answers every address below /console and /operator with the same strict page', async () => {
    for (const path of ['/console', '/console/keys/abc?x=1', '/operator', '/operator/accounts']) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      const text = await answer.text();
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/);
      expect(text).not.toMatch(/\sstyle=|<style|\son\w+=/);
      expect(text).not.toMatch(/(src|href)="https?:/);
    }
  });

  it('takes direction and theme from harmless cookies, and nothing else from them', async () => {
    const dark = await (await get('/console', { cookie: 'dargah_lang=en; dargah_theme=dark' })).text();
    expect(dark).toContain('<html lang="en" dir="ltr" data-theme="dark">');
    const hostile = await (
      await get('/console', { cookie: 'dargah_lang="><script>; dargah_theme=x" onload="y' })
    ).text();
    expect(hostile).not.toContain('<script>');
    expect(hostile).not.toContain('onload');
  });
});

describe('the built files', () => {
  it('are compressed, never change under their name, and nothing else can be read', async () => {
    const { script } = (await manifest()).console;
    const answer = await get(`/assets/${script}`, { 'accept-encoding': 'br' });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-type')).toContain('text/javascript');
    for (const path of [
      'manifest.json',
      '..%2fpackage.json',
      '%2e%2e%2fsrc%2fmain.tsx',
      `${script}.br`,
      'main-00000000.js',
    ]) {
      expect((await get(`/assets/${path}`)).status, path).toBe(404);
    }
  });

  it('are few: the overview has 120 KB of script, the playground 150, compressed, in at most five files', async () => {
    const { script, first, pages } = (await manifest()).console;
    const sizeOf = async (names: readonly string[]) => {
      const sizes = await Promise.all(names.map(async (name) => (await stat(`${dist}${name}.br`)).size));
      return sizes.reduce((sum, size) => sum + size, 0);
    };
    const overview = [script, ...first];
    const playground = [...overview, ...(pages['playground'] ?? [])];
    expect(overview.length).toBeLessThanOrEqual(5);
    expect(await sizeOf(overview)).toBeLessThanOrEqual(120 * 1024);
    expect(pages['playground']?.length).toBeGreaterThan(0);
    expect(await sizeOf(playground)).toBeLessThanOrEqual(150 * 1024);
    // Every other page of the console is in one more file or two.
    expect(pages['others']?.length).toBeLessThanOrEqual(3);
  });

  it('load at most 150 KB of script first, gzipped, with the largest page of the operator', async () => {
    const { script, first } = (await manifest()).operator;
    const sizeOf = async (name: string) => (await stat(`${dist}${name}.gz`)).size;
    const start = (await Promise.all([script, ...first].map(sizeOf))).reduce((sum, size) => sum + size, 0);
    expect(start).toBeLessThanOrEqual(150 * 1024);
  });

  it('hold no address of another host and no evaluated code', async () => {
    const names = (await readdir(dist)).filter((name) => /\.(js|css)$/.test(name));
    for (const name of names) {
      const text = await readFile(dist + name, 'utf8');
      expect(text, name).not.toMatch(/\beval\(|new Function\(/);
      expect(text, name).not.toMatch(/url\(["']?https?:/);
    }
  });
});
