/** `npm run eval:retrieval`: bundles the evaluation with the embedded database's thread and runs it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ownPackages } from '../../server/bin/sources.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Inside node_modules, so that the bundle's imports of packages resolve.
const outdir = join(root, 'node_modules/.cache/dargah', `retrieval-${process.pid}`);
mkdirSync(outdir, { recursive: true });
try {
  await build({
    entryPoints: {
      run: join(root, 'bench/retrieval/run.ts'),
      'embedded.worker': join(root, 'server/src/platform/db/embedded.worker.ts'),
      'read-document.worker': join(root, 'server/src/knowledge/reading/read-document.worker.ts'),
      'create-embedded.worker': join(root, 'server/src/platform/db/create-embedded.worker.ts'),
    },
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    alias: ownPackages(root),
    logLevel: 'error',
  });
  const { status } = spawnSync(process.execPath, [join(outdir, 'run.js'), root, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
