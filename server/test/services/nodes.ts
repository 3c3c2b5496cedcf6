/** Other versions of Node, which `node tools/nodes.mjs` brings. Where one is missing its tests are skipped with a visible line; in CI they fail. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of its program `node`, to stand first in PATH. */
export function nodeFolder(version: string): string {
  return fileURLToPath(new URL(`../../../node_modules/.cache/dargah/nodes/${version}/bin`, import.meta.url));
}

/** For `describe.skipIf(nodeMissing('24'))`. */
export function nodeMissing(version: string): boolean {
  if (existsSync(nodeFolder(version))) return false;
  const remedy = `run: node tools/nodes.mjs ${version}`;
  if (process.env['CI']) throw new Error(`Node ${version} is not here, and in CI its tests must run (${remedy})`);
  console.warn(`SKIPPED: Node ${version} is not here, nothing is tried on it; ${remedy}`);
  return true;
}
