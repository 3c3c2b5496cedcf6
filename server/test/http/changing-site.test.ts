/** What a web developer sees: the files of `npm run dev` change while the server runs, those of a build do not. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BuiltSite } from '../../src/http/web/built-site.ts';
import { changingSite } from '../../src/http/web/changing-site.ts';

const AREA = { script: 'main-00000000.js', first: [], pages: {} };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dargah-site-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function build(style: string, more: object): Promise<void> {
  const text = JSON.stringify({
    console: AREA,
    operator: AREA,
    style,
    site: 'site-00000000.css',
    siteScript: 's',
    ...more,
  });
  // As the build does it: whoever reads meanwhile has the one or the other.
  await writeFile(join(folder, 'next'), text);
  await rename(join(folder, 'next'), join(folder, 'manifest.json'));
}

it('a page of npm run dev has the newest files and hears of newer ones', async () => {
  await build('app-00000001.css', { changing: true });
  const site = new BuiltSite(folder);
  const app = fastify({ forceCloseConnections: true });
  changingSite(app, site);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const reader = (await fetch(`${address}/assets/changes`)).body?.pipeThrough(new TextDecoderStream()).getReader();
    const heard = async (style: string) => {
      for (let text = ''; !text.includes(style); ) text += (await reader?.read())?.value ?? '';
    };
    await heard('app-00000001.css');
    // Told of until it is heard: when the watch begins is the system's affair.
    const told = heard('app-00000002.css');
    const again = setInterval(() => void build('app-00000002.css', { changing: true }), 50);
    await told.finally(() => clearInterval(again));
    expect((await site.manifest()).style).toBe('app-00000002.css');
  } finally {
    await app.close();
  }
});

it('a build is read once, and nobody can follow it', async () => {
  await build('app-00000001.css', {});
  const site = new BuiltSite(folder);
  const app = fastify();
  changingSite(app, site);
  expect((await app.inject('/assets/changes')).statusCode).not.toBe(200);
  await build('app-00000002.css', {});
  expect((await site.manifest()).style).toBe('app-00000001.css');
  await app.close();
});
