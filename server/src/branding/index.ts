export type { Brand, StoredBrand } from './brand.ts';
export { type Branding, createBranding } from './branding.ts';
export type { SiteText, SiteTexts } from './site-texts.ts';
