/** A script of the benchmark as one file beside the built server, where the database's thread is found. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
// Packages of our own are sources: they belong into the bundle.
const OWN = ['core', 'api'].map((name) => `--alias:@dargah/${name}=${pathOf(`../packages/${name}/src`)}`);
const OPTIONS = ['--bundle', '--platform=node', '--format=esm', '--packages=external', '--log-level=error', ...OWN];

/** Bundles `<name>.ts` and says where the script is. */
export function bundle(name) {
  const script = pathOf(`../server/dist/bench-${name}.mjs`);
  execFileSync(pathOf('../node_modules/.bin/esbuild'), [pathOf(`${name}.ts`), ...OPTIONS, `--outfile=${script}`]);
  return script;
}
