/**
 * Bundles web/src into web/dist: the two areas with their split pages, the stylesheets, the font. Every name carries a hash of its
 * content, every text lies beside its brotli and gzip forms, and manifest.json says what is what. Each area is a build of its own:
 * what both share is in both, and whoever opens one loads a few large files instead of many small ones.
 * Does nothing when no source changed.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { fingerprint, listFiles, ownPackages, replaceFile } from './sources.mjs';

const web = fileURLToPath(new URL('../../web', import.meta.url));
export const source = join(web, 'src');
/** What the browser shares with the server: of the contract only types, so nothing of it is in the bundle. */
const shared = ownPackages(fileURLToPath(new URL('../..', import.meta.url)));
/** The client that the guide gives to customers is the playground's own. */
const streamClient = fileURLToPath(new URL('../../docs/samples/resumable-stream.mjs', import.meta.url));
export const output = join(web, 'dist');
export const stamp = join(output, '.built-from');
export const manifest = join(output, 'manifest.json');

/** The three engines that know light-dark(), :dir() and popover; all of them older than two years. */
const BROWSERS = ['chrome123', 'firefox121', 'safari17.5'];

const AREAS = ['console', 'operator'];

/** Pages of an area whose files are announced to the browser together with those of the area. */
const PRELOADED_PAGES = {
  console: [
    { name: 'playground', entry: 'console/playground/page.tsx' },
    { name: 'others', entry: 'console/pages.ts' },
  ],
};

const COMMON = {
  outdir: output,
  alias: shared,
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
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
};

/** Builds when the sources differ from those of the last build, after calling `onBegin`. Returns whether it built. */
export async function buildWebIfStale(onBegin = () => undefined) {
  if (!existsSync(source)) return false;
  const own = listFiles(source, /\.(tsx?|css|svg)$/);
  const files = [...own, ...listFiles(shared['@dargah/core'], /\.ts$/), streamClient];
  const state = fingerprint([...files, join(web, 'package.json'), fileURLToPath(import.meta.url)], web);
  const built = await readFile(stamp, 'utf8').catch(() => undefined);
  if (built === state) return false;
  const esbuild = await import('esbuild').catch(() => undefined);
  if (esbuild === undefined) {
    if (existsSync(manifest)) return false;
    throw new Error('the web pages are not built yet and esbuild is not installed: run `npm ci` first');
  }
  onBegin();
  const bundles = bundleOptions();
  const results = await Promise.all(bundles.map((options) => esbuild.build(options)));
  const made = new Map(results.flatMap(({ outputFiles }) => outputFiles.map((file) => [file.path, file.contents])));
  for (const { metafile } of results) refuseSchemas(metafile);
  await mkdir(output, { recursive: true });
  const before = await readdir(output);
  await Promise.all([...made].map(([path, contents]) => writeWithForms(path, contents)));
  await replaceFile(manifest, JSON.stringify(await describe(esbuild, results), null, 2));
  await replaceFile(stamp, state);
  const kept = new Set(['manifest.json', '.built-from', ...[...made.keys()].map((path) => basename(path))]);
  const gone = before.filter((name) => !kept.has(name.replace(/\.(br|gz)$/, '')));
  await Promise.all(gone.map((name) => rm(join(output, name), { force: true })));
  return true;
}

/** The builds of which the browser's side is made: one for each area, then what stands alone. */
export function bundleOptions() {
  const alone = ['app.css', 'site.css', 'site/enhance.ts', 'icon.svg'].map((name) => join(source, name));
  return [
    ...AREAS.map((area) => ({ ...COMMON, entryPoints: [join(source, `main-${area}.tsx`)], splitting: true })),
    { ...COMMON, entryPoints: alone },
  ];
}

/** What manifest.json says of the results of these builds. `frames`: those of an earlier one, where nothing of them changed. */
export async function describe(esbuild, results, frames) {
  const areas = AREAS.map((area, at) => [area, describeArea(area, results[at].metafile)]);
  return {
    ...Object.fromEntries(areas),
    ...describeFiles(results[AREAS.length].metafile),
    iconData: `data:image/svg+xml;base64,${(await readFile(join(source, 'icon.svg'))).toString('base64')}`,
    frames: frames ?? (await prerenderFrames(esbuild)),
  };
}

/** A value of the contract would bring every schema and their library into the browser, which needs the types alone. */
export function refuseSchemas({ inputs }) {
  const found = Object.keys(inputs).find((path) => path.includes('packages/api/'));
  if (found !== undefined) throw new Error(`${found} is imported by the web as a value: write \`import type\``);
}

/** What an area must load first, by its hashed names, and what its pages load beside it. */
function describeArea(area, { outputs }) {
  const [script] = entryOf(outputs, `src/main-${area}.tsx`);
  const first = loadedWith(script, outputs);
  const pages = {};
  for (const page of PRELOADED_PAGES[area] ?? []) {
    const [name] = entryOf(outputs, page.entry);
    const more = [name, ...loadedWith(name, outputs)].filter((part) => part !== script && !first.includes(part));
    pages[page.name] = more.map((part) => basename(part));
  }
  return { script: basename(script), first: first.map((name) => basename(name)), pages };
}

function describeFiles({ outputs }) {
  // Persian is the first language of the pages; the Latin letters follow when a page has some.
  const font = Object.keys(outputs).find((name) => /arabic.*\.woff2$/.test(name)) ?? missing('.woff2');
  const icon = Object.keys(outputs).find((name) => name.endsWith('.svg')) ?? missing('icon');
  const named = (suffix) => basename(entryOf(outputs, suffix)[0]);
  return {
    style: named('src/app.css'),
    site: named('src/site.css'),
    siteScript: named('src/site/enhance.ts'),
    font: basename(font),
    icon: basename(icon),
  };
}

/** The console's frame as markup, made by the same component that the browser shows. */
async function prerenderFrames(esbuild) {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-frame-'));
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: [join(source, 'prerender.tsx')],
      alias: shared,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      write: false,
      logLevel: 'warning',
    });
    const path = join(folder, 'prerender.cjs');
    await writeFile(path, outputFiles[0].contents);
    const { frameIn } = createRequire(import.meta.url)(path);
    return { fa: frameIn('fa'), en: frameIn('en') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function entryOf(outputs, suffix) {
  return Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(suffix)) ?? missing(suffix);
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
    promisify(brotliCompress)(contents, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: 11, [zlib.BROTLI_PARAM_SIZE_HINT]: contents.length },
    }),
    promisify(gzip)(contents, { level: 9 }),
  ]);
  await Promise.all([replaceFile(`${path}.br`, forms[0]), replaceFile(`${path}.gz`, forms[1])]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log((await buildWebIfStale()) ? 'built web/dist' : 'web/dist is up to date');
}
