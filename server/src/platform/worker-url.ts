/**
 * The URL of a worker thread's code. Bundled, every `*.worker.ts` is a file beside main.cjs. From source (tests) Node
 * cannot read TypeScript in a worker, so the worker is bundled on demand into a cache folder.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const sourceFolder = fileURLToPath(new URL('..', import.meta.url));
const runsFromSource = import.meta.url.endsWith('.ts');
/** Bundled once per process: tests start hundreds of threads. */
const bundled = new Map<string, Promise<string>>();

/** `source` is relative to server/src, e.g. `platform/db/embedded.worker.ts`. */
export async function workerUrl(source: string): Promise<URL> {
  return builtWorkerUrl(source) ?? bundledWorkerUrl(source);
}

/** Undefined when run from source. At once, for a start that reads its own code next, without a turn of the event loop between. */
export function builtWorkerUrl(source: string): URL | undefined {
  return runsFromSource ? undefined : new URL(`./${basename(source, '.ts')}.js`, import.meta.url);
}

async function bundledWorkerUrl(source: string): Promise<URL> {
  const path = bundled.get(source) ?? bundle(join(sourceFolder, source));
  bundled.set(source, path);
  return pathToFileURL(await path);
}

async function bundle(source: string): Promise<string> {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    alias: { '@dargah/core': join(sourceFolder, '../../packages/core/src') },
    write: false,
  });
  const code = result.outputFiles[0]?.contents ?? new Uint8Array();
  const name = basename(source, '.worker.ts');
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const path = join(cacheFolder(), `${name}.${hash}.worker.js`);
  if (existsSync(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  // Several test processes may do this at once: the file appears whole or not at all.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, path);
  return path;
}

/** Inside node_modules, so that the bundle's imports of packages resolve. */
function cacheFolder(): string {
  for (let folder = sourceFolder; ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    if (existsSync(join(modules, 'esbuild'))) return join(modules, '.cache', 'dargah');
    if (folder === dirname(folder)) throw new Error('no node_modules folder with esbuild above the source');
  }
}
