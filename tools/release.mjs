/**
 * A release: everything built, the packages it runs with, its licences and its parts list, in one archive.
 *   npm run release                         release/dargah-<version>.tgz
 *   node tools/release.mjs --into FOLDER    the same as a folder (the image does this)
 * The archive is a package: `npx "file:$PWD/dargah-<version>.tgz" start` runs it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from '../server/bin/build.mjs';
import { buildWebIfStale } from '../server/bin/build-web.mjs';
import { runtimePackages } from './release/packages.mjs';
import { licenceList, partsList } from './release/parts-list.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Needed to build, never to run: the builder, and what is bundled into the server. */
const BUILD_ONLY = new Set(['esbuild', 'typebox']);
const UNUSED_FILE =
  /\.(map|d\.[cm]?ts|ts|flow|markdown)$|[.-](standalone|browser|umd)\b|^(CHANGELOG|HISTORY|README|CONTRIBUTING)(\.|$)/i;
const UNUSED_FOLDER = new Set([
  'test',
  'tests',
  '__tests__',
  'docs',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
  '.github',
  '.yarn',
]);

async function main() {
  const at = process.argv.indexOf('--into');
  const folder = at > 0 ? process.argv[at + 1] : join(root, 'release', 'package');
  if (folder === undefined) throw new Error('--into needs a folder');
  await buildIfStale();
  await buildWebIfStale();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = runtimePackages(root, BUILD_ONLY);
  copyProgram(folder);
  for (const { path } of packages) copyPackage(path, folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(releaseManifest(packages), null, 2));
  writeFileSync(join(folder, 'LICENCES.txt'), licenceList(packages, root));
  writeFileSync(join(folder, 'sbom.cdx.json'), JSON.stringify(partsList(manifest, packages), null, 2));
  console.log(`${packages.length} packages, ${manifest.name} ${manifest.version} in ${folder}`);
  if (at < 0) console.log(pack(folder));
}

function copyProgram(folder) {
  for (const name of [
    'LICENSE',
    'README.md',
    'config.example.yaml',
    'server/package.json',
    'server/bin',
    'server/migrations',
    'server/fonts',
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['server/dist', 'web/dist', 'docs/operations', 'deploy'])
    if (existsSync(join(root, name)))
      cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.endsWith('.map') });
  // A release is never rebuilt: its folder may be read-only, and its builder is not there.
  writeFileSync(join(folder, 'server/dist/.built-from'), 'release');
}

function copyPackage(path, folder) {
  const from = join(root, path);
  cpSync(from, join(folder, path), {
    recursive: true,
    dereference: true,
    filter: (file) => {
      if (file === from) return true;
      const inside = file.slice(from.length);
      const name = basename(file);
      return !inside.includes('/node_modules') && !UNUSED_FILE.test(name) && !UNUSED_FOLDER.has(name);
    },
  });
}

function releaseManifest(packages) {
  const top = packages.filter(({ path }) => path.split('node_modules/').length === 2);
  const dependencies = Object.fromEntries(top.map(({ name, version }) => [name, version]));
  const { name, version, description, license, type, engines } = manifest;
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { dargah: 'server/bin/dargah.mjs' },
    scripts: { start: 'exec node --v8-pool-size=1 server/bin/start.mjs', dargah: 'node server/bin/dargah.mjs' },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  };
}

/** npm's own packing would leave out what .gitignore names; a plain archive has all of it. */
function pack(folder) {
  const file = join(root, 'release', `${manifest.name}-${manifest.version}.tgz`);
  const names = readdirSync(folder).map((name) => `package/${name}`);
  execFileSync('tar', ['--owner=0', '--group=0', '--sort=name', '-czf', file, '-C', join(folder, '..'), ...names]);
  return file;
}

await main();
