/**
 * Bundles web/src into web/dist: the console and its split pages, the stylesheet of the public pages, the font. Every name
 * carries a hash of its content, every text lies beside its brotli and gzip forms, and manifest.json says what is what.
 * Does nothing when no source changed.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { fingerprint, listFiles, ownPackages, replaceFile } from './sources.mjs';

const web = fileURLToPath(new URL('../../web', import.meta.url));
const source = join(web, 'src');
/** What the browser shares with the server: of the contract only types, so nothing of it is in the bundle. */
const shared = ownPackages(fileURLToPath(new URL('../..', import.meta.url)));
const output = join(web, 'dist');
const stamp = join(output, '.built-from');
const manifest = join(output, 'manifest.json');

/** The three engines that know light-dark(), :dir() and popover; all of them older than two years. */
const BROWSERS = ['chrome123', 'firefox121', 'safari17.5'];

/** Builds when the sources differ from those of the last build, after calling `onBegin`. Returns whether it built. */
export async function buildWebIfStale(onBegin = () => undefined) {
  if (!existsSync(source)) return false;
  const own = await listFiles(source, /\.(tsx?|css|svg)$/);
  const files = [...own, ...(await listFiles(shared['@dargah/core'], /\.ts$/))];
  const state = await fingerprint([...files, join(web, 'package.json'), fileURLToPath(import.meta.url)], web);
  const built = await readFile(stamp, 'utf8').catch(() => undefined);
  if (built === state) return false;
  const esbuild = await import('esbuild').catch(() => undefined);
  if (esbuild === undefined) {
    if (existsSync(manifest)) return false;
    throw new Error('the web pages are not built yet and esbuild is not installed: run `npm ci` first');
  }
  onBegin();
  const result = await esbuild.build({
    entryPoints: [
      join(source, 'main.tsx'),
      join(source, 'site.css'),
      join(source, 'site/enhance.ts'),
      join(source, 'icon.svg'),
    ],
    outdir: output,
    alias: shared,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: BROWSERS,
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    loader: { '.woff2': 'file', '.svg': 'copy' },
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  refuseSchemas(result.metafile);
  await mkdir(output, { recursive: true });
  const before = await readdir(output);
  await Promise.all(result.outputFiles.map(({ path, contents }) => writeWithForms(path, contents)));
  await replaceFile(manifest, JSON.stringify(describe(result.metafile), null, 2));
  await replaceFile(stamp, state);
  const kept = new Set(['manifest.json', '.built-from', ...result.outputFiles.map(({ path }) => basename(path))]);
  const gone = before.filter((name) => !kept.has(name.replace(/\.(br|gz)$/, '')));
  await Promise.all(gone.map((name) => rm(join(output, name), { force: true })));
  return true;
}

/** A value of the contract would bring every schema and their library into the browser, which needs the types alone. */
function refuseSchemas({ inputs }) {
  const found = Object.keys(inputs).find((path) => path.includes('packages/api/'));
  if (found !== undefined) throw new Error(`${found} is imported by the web as a value: write \`import type\``);
}

/** What the page must load first, by its hashed name. */
function describe({ outputs }) {
  const entryOf = (suffix) =>
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(suffix)) ?? missing(suffix);
  const [script, app] = entryOf('src/main.tsx');
  const [site] = entryOf('src/site.css');
  const [siteScript] = entryOf('src/site/enhance.ts');
  // Persian is the first language of the pages; the Latin letters follow when a page has some.
  const font = Object.keys(outputs).find((name) => /arabic.*\.woff2$/.test(name)) ?? missing('.woff2');
  const icon = Object.keys(outputs).find((name) => name.endsWith('.svg')) ?? missing('icon');
  return {
    script: basename(script),
    style: basename(app.cssBundle ?? missing('main.css')),
    first: loadedWith(script, outputs).map((name) => basename(name)),
    site: basename(site),
    siteScript: basename(siteScript),
    font: basename(font),
    icon: basename(icon),
  };
}

/** The parts that an entry imports at once, and what these import; lazily loaded pages are not among them. */
function loadedWith(entry, outputs) {
  const found = new Set();
  const walk = (name) => {
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(path)) continue;
      found.add(path);
      walk(path);
    }
  };
  walk(entry);
  return [...found];
}

function missing(what) {
  throw new Error(`the web build made no ${what}`);
}

async function writeWithForms(path, contents) {
  await replaceFile(path, contents);
  if (!/\.(js|css|svg)$/.test(path)) return;
  const forms = await Promise.all([
    promisify(brotliCompress)(contents, { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(contents, { level: 9 }),
  ]);
  await Promise.all([replaceFile(`${path}.br`, forms[0]), replaceFile(`${path}.gz`, forms[1])]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log((await buildWebIfStale()) ? 'built web/dist' : 'web/dist is up to date');
}
