/**
 * The brand in force on this replica: read once, and again when it changes anywhere, so that pages never ask the
 * database.
 */

import type { SitePage } from '@dargah/core/site-pages.ts';
import type { Json } from '../core/json.ts';
import type { Log } from '../platform/log.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import { type Brand, brandOf, NO_BRAND, readBrand, type StoredBrand } from './brand.ts';
import { readLogo, storedLogo } from './logo.ts';
import { checkSiteText, readSiteTexts, type SiteText, type SiteTexts } from './site-texts.ts';

export interface Branding {
  /** The same object until it changes. */
  current(): Brand;
  stored(): StoredBrand;
  /** Absent fields stay; null removes one. */
  change(patch: Partial<StoredBrand>, actor: string): Promise<void>;
  /** The picture in base64; null goes back to the shipped one. */
  setLogo(image: string | null, actor: string): Promise<void>;
  /** The same object until one of them changes. */
  siteTexts(): SiteTexts;
  /** Null removes a language; a page without both is not published. */
  setSiteText(page: SitePage, text: SiteText, actor: string): Promise<void>;
}

const WORDS = 'brand';
const LOGO = 'brand_logo';
const SITE_TEXTS = 'site_texts';

export async function createBranding({ store, log }: { store: SettingStore; log: Log }): Promise<Branding> {
  let words = NO_BRAND;
  let brand = brandOf(words, null);
  let siteTexts = readSiteTexts(undefined);
  const follow = (all: ReadonlyMap<string, Json>) => {
    words = readBrand(all.get(WORDS));
    brand = brandOf(words, storedLogo(all.get(LOGO)));
    siteTexts = readSiteTexts(all.get(SITE_TEXTS));
  };
  const read = async () => follow(await store.all());
  follow(await store.atStart());
  store.watch((key) => {
    if (key !== undefined && ![WORDS, LOGO, SITE_TEXTS].includes(key)) return;
    read().catch((error: unknown) => log.warn({ err: error }, 'the brand could not be read; the last one stays'));
  });
  return {
    current: () => brand,
    stored: () => words,
    async change(patch, actor) {
      await store.set(WORDS, { ...words, ...patch }, actor);
      await read();
    },
    siteTexts: () => siteTexts,
    async setSiteText(page, { fa, en }, actor) {
      const text = { fa: checkSiteText(fa, 'fa'), en: checkSiteText(en, 'en') };
      // Another replica may have changed another page meanwhile, so all are read again.
      const stored = readSiteTexts((await store.all()).get(SITE_TEXTS));
      await store.set(SITE_TEXTS, { ...stored, [page]: text }, actor);
      await read();
    },
    async setLogo(image, actor) {
      await store.set(LOGO, image === null ? {} : { image: readLogo(image).bytes.toString('base64') }, actor);
      await read();
    },
  };
}
