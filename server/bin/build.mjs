/**
 * Bundles server/src into server/dist: main.cjs, processes.js, cli.js, begun-thread.js and one file per worker thread. Does
 * nothing when no source changed.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
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
const packagesOutside = outside(({ path, kind }) => kind !== 'entry-point' && !/^(@dargah\/|typebox)/.test(path));

/** Into the program itself goes whatever it loads at once: all of it is then compiled, and kept, as one (compiled-code.mjs). */
const LOADED_LATE = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];
const packagesInside = outside(
  ({ path, kind }) =>
    isBuiltin(path) || LOADED_LATE.includes(path) || (kind === 'dynamic-import' && !path.startsWith('@dargah/')),
);

function outside(isOutside) {
  return {
    name: 'packages-outside',
    setup(build) {
      build.onResolve({ filter: /^[^./#]/ }, (asked) =>
        isOutside(asked) ? { path: asked.path, external: true } : undefined,
      );
    },
  };
}

/** The program is one function, called by compiled-code.mjs: no module, so it is given its address and `import()`. */
const PROGRAM = {
  head: '(function(exports,require,module,__filename,__dirname,programUrl,importPackage){"use strict";',
  foot: '})',
};

/** Refuses to build where a text looks like an import: it would be changed too. */
function givenImports({ outputFiles, metafile }) {
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const known = imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path);
  return outputFiles.map(({ path, text }) => {
    if (path.endsWith('.map')) return { path, text };
    const found = [];
    const given = text.replace(/\bimport\("([^"]+)"\)/g, (_, name) => {
      found.push(name);
      return `importPackage("${name}")`;
    });
    if (found.toSorted().join() !== known.toSorted().join())
      throw new Error(`imported late: ${known}; found: ${found}`);
    return { path, text: given };
  });
}

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
  const builtFrom = await readFile(stamp, 'utf8').catch(() => undefined);
  // A release comes built, without its sources.
  if (builtFrom === 'release') return false;
  const sources = /\.(ts|json|lua)$/;
  const files = [source, ...packages].flatMap((folder) => listFiles(folder, sources));
  const texts = listFiles(guide, /^(customers|whats-new).*\.md$/);
  const state = fingerprint([...files, ...texts, fileURLToPath(import.meta.url)], server);
  if (builtFrom === state) return false;
  const esbuild = await import('esbuild').catch(() => undefined);
  if (esbuild === undefined) {
    // A release without the bundler runs what was built for it.
    if (existsSync(join(output, 'main.cjs'))) return false;
    throw new Error('nothing is built yet and esbuild is not installed: run `npm ci` first');
  }
  const modules = ['processes.ts', 'cli.ts', 'platform/db/begun-thread.ts'].map((name) => join(source, name));
  const workers = files.filter((path) => path.endsWith('.worker.ts'));
  onBegin();
  const common = {
    outdir: output,
    // Names of files in the bundle and its map begin at the repository, wherever the build is started.
    absWorkingDir: root,
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    target: 'node20',
    alias: ownPackages(root),
    loader: { '.lua': 'text', '.md': 'text' },
    // The engine keeps the text of the bundle for as long as the process runs. Names stay, so profiles and traces can be read.
    minifyWhitespace: true,
    lineLimit: LINE,
    sourcemap: true,
    // Stack traces need positions only; the sources themselves would be held in memory.
    sourcesContent: false,
    write: false,
    logLevel: 'warning',
  };
  const [program, others] = await Promise.all([
    esbuild.build({
      ...common,
      entryPoints: [join(source, 'main.ts')],
      outExtension: { '.js': '.cjs' },
      format: 'cjs',
      define: { 'import.meta.url': 'programUrl' },
      banner: { js: PROGRAM.head },
      footer: { js: PROGRAM.foot },
      plugins: [packagesInside],
      metafile: true,
    }),
    esbuild.build({ ...common, entryPoints: [...modules, ...workers], format: 'esm', plugins: [packagesOutside] }),
  ]);
  await mkdir(output, { recursive: true });
  for (const { path, text } of [...givenImports(program), ...others.outputFiles])
    await replaceFile(path, path.endsWith('.map') ? text : inAscii(text));
  // Code of the program before, and of every version of Node that ran it.
  await rm(join(output, '.compiled'), { recursive: true, force: true, maxRetries: 3 });
  await replaceFile(stamp, state);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log((await buildIfStale()) ? 'built server/dist' : 'server/dist is up to date');
}
