/** What the operator's service is called and how it looks to customers. */

import type { Text } from '@dargah/core/text.ts';
import { isJsonObject, type Json } from '../core/json.ts';

export interface Logo {
  type: string;
  bytes: Buffer;
  /** Digest of the picture's bytes: a changed picture gets another address. */
  digest: string;
}

export interface Brand {
  name: Text;
  /**
   * Hue of the one accent colour in degrees; its lightness and chroma are fixed, so that contrast holds. Null: the shipped hue.
   */
  hue: number | null;
  support: { phone: string | null; email: string | null; address: string | null };
  logo: Logo | null;
}

const OUR_NAME: Text = { fa: 'درگاه', en: 'Dargah' };

/** The brand without the picture, as it is stored and shown. */
export interface StoredBrand {
  name_fa: string | null;
  name_en: string | null;
  hue: number | null;
  support_phone: string | null;
  support_email: string | null;
  support_address: string | null;
}

export const NO_BRAND: StoredBrand = {
  name_fa: null,
  name_en: null,
  hue: null,
  support_phone: null,
  support_email: null,
  support_address: null,
};

/** Reads the stored value; a field of the wrong form counts as absent. */
export function readBrand(stored: Json | undefined): StoredBrand {
  if (!isJsonObject(stored)) return NO_BRAND;
  const text = (name: string) => (typeof stored[name] === 'string' && stored[name] !== '' ? stored[name] : null);
  const { hue } = stored;
  return {
    name_fa: text('name_fa'),
    name_en: text('name_en'),
    hue: typeof hue === 'number' && hue >= 0 && hue < 360 ? hue : null,
    support_phone: text('support_phone'),
    support_email: text('support_email'),
    support_address: text('support_address'),
  };
}

export function brandOf(stored: StoredBrand, logo: Logo | null): Brand {
  const {
    name_fa: fa,
    name_en: en,
    hue,
    support_phone: phone,
    support_email: email,
    support_address: address,
  } = stored;
  // An operator who gave one name has it in both languages.
  const name = { fa: fa ?? en ?? OUR_NAME.fa, en: en ?? fa ?? OUR_NAME.en };
  return { name, hue, support: { phone, email, address }, logo };
}
