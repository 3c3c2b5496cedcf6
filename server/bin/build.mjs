/**
 * Bundles server/src into server/dist: main.js, processes.js, cli.js, begun-thread.js and one file per worker thread. Does
 * nothing when no source changed. Packages stay outside the bundle, in node_modules.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fingerprint, listFiles, ownPackages, replaceFile } from './sources.mjs';

const server = fileURLToPath(new URL('..', import.meta.url));
const source = join(server, 'src');
const root = join(server, '..');
/** Packages of this repository: part of the bundle. */
const packages = [join(server, 'packages'), ...Object.values(ownPackages(root))];
/** The customers' guide and their changelog are pages of the server. */
const guide = join(root, 'docs');
const output = join(server, 'dist');
const stamp = join(output, '.built-from');

/** Beside our own, typebox alone goes into the bundle: it is hundreds of small files, which Node would look up one by one at every start. */
const packagesOutside = {
  name: 'packages-outside',
  setup(build) {
    build.onResolve({ filter: /^[^./#]/ }, ({ path, kind }) =>
      kind === 'entry-point' || /^(@dargah\/|typebox)/.test(path) ? undefined : { path, external: true },
    );
  },
};

/** A fault's line is printed with it. */
const LINE = 160;

/**
 * The bundler escapes letters beyond ASCII everywhere but in regular expressions. One such letter makes the engine keep the whole
 * text with two bytes per letter: 11 MB instead of 5.
 */
const inAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Builds when the sources differ from those of the last build, after calling `onBegin`. Returns whether it built. */
export async function buildIfStale(onBegin = () => undefined) {
  const built = await readFile(stamp, 'utf8').catch(() => undefined);
  // A release comes built, without its sources.
  if (built === 'release') return false;
  const sources = /\.(ts|json|lua)$/;
  const files = [source, ...packages].flatMap((folder) => listFiles(folder, sources));
  const texts = listFiles(guide, /^(customers|whats-new).*\.md$/);
  const state = fingerprint([...files, ...texts, fileURLToPath(import.meta.url)], server);
  if (built === state) return false;
  const esbuild = await import('esbuild').catch(() => undefined);
  if (esbuild === undefined) {
    // A release without the bundler runs what was built for it.
    if (existsSync(join(output, 'main.js'))) return false;
    throw new Error('nothing is built yet and esbuild is not installed: run `npm ci` first');
  }
  const entries = ['main.ts', 'processes.ts', 'cli.ts', 'platform/db/begun-thread.ts']
    .map((name) => join(source, name))
    .filter((path) => existsSync(path));
  const workers = files.filter((path) => path.endsWith('.worker.ts'));
  onBegin();
  const result = await esbuild.build({
    entryPoints: [...entries, ...workers],
    outdir: output,
    // Names of files in the bundle and its map begin at the repository, wherever the build is started.
    absWorkingDir: root,
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    alias: ownPackages(root),
    plugins: [packagesOutside],
    loader: { '.lua': 'text', '.md': 'text' },
    // The engine keeps the text of the bundle for as long as the process runs. Names stay, so profiles and traces can be read.
    minifyWhitespace: true,
    lineLimit: LINE,
    sourcemap: true,
    // Stack traces need positions only; the sources themselves would be held in memory.
    sourcesContent: false,
    write: false,
    logLevel: 'warning',
  });
  await mkdir(output, { recursive: true });
  for (const file of result.outputFiles)
    await replaceFile(file.path, file.path.endsWith('.js') ? inAscii(file.text) : file.contents);
  await replaceFile(stamp, state);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log((await buildIfStale()) ? 'built server/dist' : 'server/dist is up to date');
}
