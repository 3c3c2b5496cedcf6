/** Which packages the built server needs at run time: the closure of its dependencies, as the lockfile resolves them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @returns {{ path: string, name: string, version: string, license: string, integrity: string | undefined }[]} */
export function runtimePackages(root, leftOut) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  const visit = (from, dependencies = {}, optional = {}) => {
    for (const name of Object.keys({ ...dependencies, ...optional })) {
      if (leftOut.has(name)) continue;
      const path = resolve(packages, from, name);
      if (path === undefined) {
        if (name in optional) continue;
        throw new Error(`${name}, needed by ${from || 'the root'}, is not in the lockfile`);
      }
      if (found.has(path)) continue;
      const entry = packages[path];
      const installed = readManifest(root, path);
      // A package for another system is in the lockfile, not on the disk.
      if (installed === undefined) {
        if (entry.optional) continue;
        throw new Error(`${path} is not installed: run npm ci first`);
      }
      found.set(path, {
        path,
        name: installed.name,
        version: installed.version,
        license: licenceOf(installed),
        integrity: entry.integrity,
      });
      visit(path, entry.dependencies, entry.optionalDependencies);
    }
  };
  visit('server', packages['server'].dependencies);
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Where Node looks for `name` from the package at `from`: beside it, then further and further up. */
function resolve(packages, from, name) {
  let at = from;
  for (;;) {
    const path = `${at}/node_modules/${name}`;
    if (packages[path]) return path;
    const up = at.lastIndexOf('/node_modules/');
    if (up < 0) break;
    at = at.slice(0, up);
  }
  return packages[`node_modules/${name}`] ? `node_modules/${name}` : undefined;
}

function readManifest(root, path) {
  try {
    return JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

function licenceOf({ license, licenses }) {
  if (typeof license === 'string') return license;
  if (license?.type) return license.type;
  return licenses?.map(({ type }) => type).join(' OR ') ?? 'unknown';
}
