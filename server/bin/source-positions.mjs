/**
 * Stack traces of the bundle with positions in its sources. Node's own way (`process.setSourceMapsEnabled`) reads the bundle's map at
 * every start and keeps it: 80 ms of processor and 4 MB for what few processes ever need. Here it is read with the first trace that
 * somebody looks at, and forgotten a minute later.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const KEPT_MS = 60_000;

/** `folder` is the address of the bundles: `file:///…/dist/`. */
export function showSourcePositions(folder) {
  const maps = new Map();
  const mapOf = (file) => {
    if (maps.size === 0) setTimeout(() => maps.clear(), KEPT_MS).unref();
    if (!maps.has(file)) maps.set(file, readMap(file));
    return maps.get(file);
  };
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => `\n    at ${lineOf(site, folder, mapOf)}`);
    return `${titleOf(error)}${lines.join('')}`;
  };
}

function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    // A trace without sources is better than none.
    return undefined;
  }
}

function lineOf(site, folder, mapOf) {
  const text = String(site);
  const file = site.getFileName();
  if (!file?.startsWith(folder)) return text;
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const found = mapOf(file)?.findEntry(line - 1, column - 1);
  if (found?.originalSource === undefined) return text;
  const source = new URL(found.originalSource, file).href;
  return text.replace(`${file}:${line}:${column}`, `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`);
}

/** Whatever may be thrown, a trace is made of it; a `toString` that throws would hide the error. */
function titleOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
