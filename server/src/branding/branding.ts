/** The brand in force on this replica: read once, read again when it changes anywhere, and never asked of the database by a page. */

import type { Log } from '../platform/log.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import { type Brand, brandOf, NO_BRAND, readBrand, type StoredBrand } from './brand.ts';
import { readLogo, storedLogo } from './logo.ts';

export interface Branding {
  /** The same object until it changes. */
  current(): Brand;
  stored(): StoredBrand;
  /** Fields that are not given stay; null takes one away. */
  change(patch: Partial<StoredBrand>, actor: string): Promise<void>;
  /** The picture in base64; null goes back to the shipped one. */
  setLogo(image: string | null, actor: string): Promise<void>;
}

const WORDS = 'brand';
const LOGO = 'brand_logo';

export async function createBranding({ store, log }: { store: SettingStore; log: Log }): Promise<Branding> {
  let words = NO_BRAND;
  let brand = brandOf(words, null);
  const read = async () => {
    const all = await store.all();
    words = readBrand(all.get(WORDS));
    brand = brandOf(words, storedLogo(all.get(LOGO)));
  };
  await read();
  store.watch((key) => {
    if (key !== undefined && key !== WORDS && key !== LOGO) return;
    read().catch((error: unknown) => log.warn({ err: error }, 'the brand could not be read; the last one stays'));
  });
  return {
    current: () => brand,
    stored: () => words,
    async change(patch, actor) {
      await store.set(WORDS, { ...words, ...patch }, actor);
      await read();
    },
    async setLogo(image, actor) {
      await store.set(LOGO, image === null ? {} : { image: readLogo(image).bytes.toString('base64') }, actor);
      await read();
    },
  };
}
