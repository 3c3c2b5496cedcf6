/** `/api/admin/branding`, described: name, colour, picture and support contacts, as customers see them. */
import { MAX_SITE_TEXT } from '@dargah/core/site-pages.ts';
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Service';
const path = '/api/admin/branding';
const WRITE = scoped('service', staff('owner'));
const words = {
  name_fa: nullable(Type.String({ maxLength: 40 })),
  name_en: nullable(Type.String({ maxLength: 40 })),
  hue: nullable(Type.Integer({ minimum: 0, maximum: 359, description: 'Of the accent colour, in degrees.' })),
  support_phone: nullable(Type.String({ maxLength: 40 })),
  support_email: nullable(Type.String({ maxLength: 200 })),
  support_address: nullable(Type.String({ maxLength: 300, description: 'A web address: `https://…`.' })),
};
const BrandingSchema = responseObject(
  {
    object: Type.Literal('branding'),
    ...words,
    logo: nullable(Type.String({ description: 'Address of the picture on this server.' })),
  },
  'Branding',
);

export const getBranding = describeRoute({
  method: 'GET',
  path,
  operationId: 'getBranding',
  tag,
  summary: { fa: 'نام و نشان', en: 'Name, colour, picture and support contacts' },
  result: BrandingSchema,
  access: STAFF_READ,
});

export const changeBranding = describeRoute({
  method: 'PATCH',
  path,
  operationId: 'changeBranding',
  tag,
  summary: { fa: 'تغییر نام و نشان', en: 'Change them, on every replica' },
  description: 'Fields that are not given stay; null takes one away.',
  body: inputObject(
    {
      name_fa: Type.Optional(words.name_fa),
      name_en: Type.Optional(words.name_en),
      hue: Type.Optional(words.hue),
      support_phone: Type.Optional(words.support_phone),
      support_email: Type.Optional(words.support_email),
      support_address: Type.Optional(words.support_address),
    },
    'BrandingChange',
  ),
  result: BrandingSchema,
  example: { name_fa: 'پل', name_en: 'Pol', hue: 260 },
  access: WRITE,
});

const SiteText = nullable(Type.String({ maxLength: MAX_SITE_TEXT, description: 'Markdown; HTML is shown as text.' }));
const BothTexts = responseObject({ fa: SiteText, en: SiteText }, 'SiteText');
const SiteTexts = responseObject(
  { object: Type.Literal('site_texts'), terms: BothTexts, privacy: BothTexts, contact: BothTexts },
  'SiteTexts',
);

export const getSiteTexts = describeRoute({
  method: 'GET',
  path: '/api/admin/site-texts',
  operationId: 'getSiteTexts',
  tag,
  summary: { fa: 'متن صفحه‌های عمومی', en: 'Texts of the public pages: terms, privacy, contact' },
  result: SiteTexts,
  access: STAFF_READ,
});

export const setSiteText = describeRoute({
  method: 'PUT',
  path: '/api/admin/site-texts/:page',
  operationId: 'setSiteText',
  tag,
  summary: { fa: 'نوشتن متن یک صفحهٔ عمومی', en: 'Write the text of a public page' },
  description:
    'Of `terms`, `privacy` or `contact`. A page without a text in either language is not linked and says that nothing is published.',
  body: inputObject({ fa: SiteText, en: SiteText }, 'SiteTextChange'),
  result: SiteTexts,
  errors: ['not_found'],
  example: { fa: '## شرایط', en: '## Terms' },
  access: WRITE,
});

export const setLogo = describeRoute({
  method: 'PUT',
  path: `${path}/logo`,
  operationId: 'setLogo',
  tag,
  summary: { fa: 'گذاشتن تصویر', en: 'Set the picture: PNG, JPEG or WebP, at most 128 KiB' },
  body: inputObject({ image: Type.String({ minLength: 16, maxLength: 180_000, description: 'Base64.' }) }, 'Logo'),
  result: BrandingSchema,
  access: WRITE,
});

export const removeLogo = describeRoute({
  method: 'DELETE',
  path: `${path}/logo`,
  operationId: 'removeLogo',
  tag,
  summary: { fa: 'حذف تصویر', en: 'Use our own mark again' },
  result: BrandingSchema,
  access: WRITE,
});
