/** What the builds share: which sources there are, whether they changed, how a file is replaced, and our own packages. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The packages of this repository that are imported by name, as esbuild's `alias`: they become part of a bundle, where all other
 * packages stay outside of it. `root` is the checkout whose packages they are.
 */
export function ownPackages(root) {
  return { '@dargah/api': join(root, 'packages/api/src'), '@dargah/core': join(root, 'packages/core/src') };
}

/** Each start waits for this and for the fingerprint, of 2,000 files; `readdirSync` with `recursive` takes three times as long. */
export function listFiles(folder, pattern) {
  return filesBelow(folder, pattern).sort();
}

function filesBelow(folder, pattern) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, pattern);
    return entry.isFile() && pattern.test(entry.name) ? [path] : [];
  });
}

/** Names, sizes and times of the files, as one digest. */
export function fingerprint(files, root) {
  const lines = files.map((path) => {
    const { size, mtimeMs } = statSync(path);
    return `${path.startsWith(root) ? path.slice(root.length) : path} ${size} ${mtimeMs}\n`;
  });
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Whole or not at all: another process may be starting from the same folder. */
export async function replaceFile(path, contents) {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}
