/**
 * Brings other versions of Node, for the tests that run on them:
 *   node tools/nodes.mjs 20.18.0 20 22 24 26
 * Each is the package node-<system>-<processor> of the registry that npm is configured with; npm checks its digest. It is
 * unpacked once, into node_modules/.cache/dargah/nodes/<version as asked for>/bin/node. A major version means its newest.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../node_modules/.cache/dargah/nodes', import.meta.url));

function bring(version) {
  const folder = join(cache, version);
  if (existsSync(folder)) return join(folder, 'bin', 'node');
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  try {
    const name = `node-${process.platform}-${process.arch}@${version}`;
    const packed = execFileSync('npm', ['pack', '--silent', name], { cwd: draft, encoding: 'utf8' });
    const file = packed.trim().split('\n').at(-1);
    execFileSync('tar', ['-xzf', file, '--strip-components=1', 'package/bin/node'], { cwd: draft });
    rmSync(join(draft, file));
    const said = execFileSync(join(draft, 'bin', 'node'), ['--version'], { encoding: 'utf8' }).trim();
    if (!`${said}.`.startsWith(`v${version}.`)) throw new Error(`${name} is ${said}`);
    renameSync(draft, folder);
    return join(folder, 'bin', 'node');
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const versions = process.argv.slice(2);
if (versions.length === 0 || versions.some((version) => !/^\d+(\.\d+\.\d+)?$/.test(version))) {
  console.error('usage: node tools/nodes.mjs VERSION…   (20, 24, 20.18.0)');
  process.exit(2);
}
for (const version of versions) console.log(bring(version));
