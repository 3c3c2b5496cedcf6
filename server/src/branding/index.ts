export { type Brand, OUR_NAME, type StoredBrand } from './brand.ts';
export { type Branding, createBranding } from './branding.ts';
export { MAX_LOGO_BYTES } from './logo.ts';
