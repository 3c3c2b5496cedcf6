/** Runs TypeScript in a process of its own, bundled as the server is, with its worker threads beside it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ownPackages } from '../../bin/sources.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/dargah');

export interface BundledScript {
  /** Starts it with IPC, so that it can send messages. */
  start(...args: string[]): ChildProcess;
  remove(): Promise<void>;
}

export async function bundleScript(
  script: string,
  workers: readonly string[],
  flags: readonly string[] = [],
): Promise<BundledScript> {
  await mkdir(cache, { recursive: true });
  const outdir = await mkdtemp(join(cache, 'script-'));
  await build({
    entryPoints: { script, ...Object.fromEntries(workers.map((path) => [path.replace(/^.*\/|\.ts$/g, ''), path])) },
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    loader: { '.lua': 'text', '.md': 'text' },
    packages: 'external',
    alias: ownPackages(root),
    logLevel: 'error',
  });
  return {
    start: (...args) =>
      spawn(process.execPath, [...flags, join(outdir, 'script.js'), ...args], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    remove: () => rm(outdir, { recursive: true, force: true }),
  };
}
