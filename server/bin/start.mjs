#!/usr/bin/env node
// Builds when needed, then becomes the server: one process, so that signals reach it.
import cluster from 'node:cluster';
import { buildIfStale } from './build.mjs';
import { makeEngineCodeLater } from './build-engine-code.mjs';
import { buildTemplateIfStale } from './build-template.mjs';
import { buildWebIfStale } from './build-web.mjs';
import { keepCodeOfPackages, readProgram } from './compiled-code.mjs';
import { showSourcePositions } from './source-positions.mjs';
import { applyProfile, prepareStart } from './v8-profile.mjs';

prepareStart();

const began = performance.now();
let told = false;
const tell = () => {
  if (!told) process.stdout.write('building the server and the web pages, this once … ');
  told = true;
};
await Promise.all([buildIfStale(tell), buildWebIfStale(tell)]);
if (told) {
  await buildTemplateIfStale();
  // The bundler's helper process would stay for as long as the server runs.
  await (await import('esbuild')).stop();
  console.log(`done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
showSourcePositions(new URL('../dist/', import.meta.url).href);
keepCodeOfPackages();
// As later versions of Node have it. Where it is missing, PostgreSQL's driver looks at `Response`, and Node loads its `fetch` (45 ms).
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node.split('.')[0]}` };
// With `--processes N` this one only supervises; each of its processes comes here again.
const supervises = cluster.isPrimary && process.argv.some((argument) => argument.startsWith('--processes'));
if (supervises) {
  await import('../dist/processes.js');
} else {
  const { beginThread, beginThreadOf, lacksEngineCode } = await import('../dist/begun-thread.js');
  const thread = process.env.DATABASE_URL ? undefined : beginDatabase();
  const program = readProgram();
  await program.exports.startServer(process.argv.slice(2), thread);
  program.keep();
  applyProfile();
  if (lacksEngineCode()) makeEngineCodeLater();

  /** Opens it as well, unless only a question is asked (`--check-config`). The directory is that of config/environment.ts. */
  function beginDatabase() {
    return process.argv.length > 2 ? beginThread() : beginThreadOf(process.env.DARGAH_DATA_DIR?.trim() || './data');
  }
}
