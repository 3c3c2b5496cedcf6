/** The built browser side (web/dist): read when first asked for, then cached. A start costs nothing for it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Language } from '@dargah/core/text.ts';
import { parseJson } from '../../core/json.ts';

export interface Manifest {
  console: BuiltArea;
  operator: BuiltArea;
  /** The stylesheet of both areas. */
  style: string;
  /** The console's frame as markup, with `%BRAND%` in place of the operator's mark and name. */
  frames: Record<Language, string>;
  /** The stylesheet of the public pages, and the little script that adds to them. */
  site: string;
  siteScript: string;
  font: string;
  icon: string;
  /** The icon as a data URL that needs no request. */
  iconData: string;
  /** True when `npm run dev` made it: it is rebuilt while the server runs, so it is read for every page. */
  changing?: true;
}

interface BuiltArea {
  script: string;
  /** The chunks that it loads at once. */
  first: string[];
  /** Further chunks that some of its pages load. */
  pages: Record<string, string[]>;
}

export interface BuiltFile {
  bytes: Buffer;
  brotli: Buffer | undefined;
  gzip: Buffer | undefined;
}

export class BuiltSite {
  readonly folder: string;
  readonly #files = new Map<string, Promise<BuiltFile | undefined>>();
  #manifest: Promise<Manifest> | undefined;

  constructor(folder = builtFolder()) {
    this.folder = folder;
  }

  manifest(): Promise<Manifest> {
    this.#manifest ??= readFile(join(this.folder, 'manifest.json'), 'utf8').then(
      (text) => parseJson(text) as unknown as Manifest,
    );
    const reading = this.#manifest;
    const forget = () => {
      if (this.#manifest === reading) this.#manifest = undefined;
    };
    // The site is looked for again while it is missing: a build may be running.
    reading.then(({ changing }) => changing && forget(), forget);
    return reading;
  }

  /** Only names of the form that the build makes are looked up, so no name can lead out of the folder. */
  async file(name: string): Promise<BuiltFile | undefined> {
    if (!/^[\w-]+-[A-Z0-9]{8}\.(js|css|svg|woff2)$/.test(name)) return undefined;
    const kept = this.#files.get(name);
    if (kept !== undefined) return kept;
    const reading = this.#read(name);
    this.#files.set(name, reading);
    // A missing file is looked for again, because names of a newer build may come.
    if ((await reading) === undefined) this.#files.delete(name);
    return reading;
  }

  async #read(name: string): Promise<BuiltFile | undefined> {
    const read = (path: string) => readFile(join(this.folder, path)).catch(() => undefined);
    const [bytes, brotli, gzip] = await Promise.all([read(name), read(`${name}.br`), read(`${name}.gz`)]);
    return bytes === undefined ? undefined : { bytes, brotli, gzip };
  }
}

/** The folder stands beside the bundle of the server, or beside its sources. */
function builtFolder(): string {
  const candidates = ['../../web/dist', '../../../../web/dist'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return candidates.find((path) => existsSync(path)) ?? (candidates[0] as string);
}
