/** The frame of every public page, in both languages and both directions. Script only adds to what works without it. */

import type { Language, Text } from '@dargah/core/text.ts';
import type { Brand } from '../../branding/index.ts';
import type { Manifest } from '../web/built-site.ts';
import { brandStyle, mark } from './brand.ts';
import { DRAWINGS, icon } from './icons.ts';
import { html, type Markup } from './markup.ts';
import { addressOf, type PageVisit, switchedAddress } from './visit.ts';

export interface FramedPage {
  /** The title as search engines and tabs show it. */
  title: string;
  description: string;
  content: Markup;
  /** The part of the query that belongs to the page's own address; filters do not. */
  query?: URLSearchParams;
  /** Search engines must not list it, because it does not exist or has endless variations. */
  unlisted?: boolean;
  /** The page reloads itself after this many seconds. */
  refreshS?: number | undefined;
}

const TEXTS = {
  support: { fa: 'پشتیبانی', en: 'Support' },
  skip: { fa: 'رفتن به محتوا', en: 'Skip to content' },
  main: { fa: 'فهرست اصلی', en: 'Main' },
  foot: { fa: 'فهرست پایین صفحه', en: 'Footer' },
  menu: { fa: 'فهرست', en: 'Menu' },
  theme: { fa: 'تغییر پوستهٔ روشن و تاریک', en: 'Switch between light and dark' },
  signIn: { fa: 'ورود', en: 'Sign in' },
  signUp: { fa: 'ساخت حساب', en: 'Create account' },
  console: { fa: 'پنل', en: 'Console' },
  about: {
    fa: 'یک کلید برای همهٔ مدل‌ها، با قیمت به تومان و رسید هر درخواست.',
    en: 'One key for every model, priced in toman, with a receipt for each request.',
  },
  machine: { fa: 'سند OpenAPI', en: 'OpenAPI document' },
  staff: { fa: 'ورود کارکنان', en: 'Staff sign-in' },
  copied: { fa: 'کپی شد', en: 'Copied' },
} satisfies Record<string, Text>;

const LINKS: readonly (readonly [path: string, name: Text])[] = [
  ['/catalog', { fa: 'مدل‌ها و قیمت‌ها', en: 'Models and prices' }],
  ['/guide', { fa: 'راهنما', en: 'Guide' }],
  ['/docs', { fa: 'مرجع API', en: 'API reference' }],
  ['/status', { fa: 'وضعیت', en: 'Status' }],
];

const CHANGES = ['/changelog', { fa: 'تغییرات', en: 'Changelog' }] as const;

/** What all pages share: the built files, where there are some, and the operator's brand. */
export interface Dress {
  manifest: Manifest | undefined;
  brand: Brand;
  /** Pages of the operator that have a text. */
  published?: readonly (readonly [path: string, name: Text])[];
}

export function frame(visit: PageVisit, { manifest, brand, published = [] }: Dress, page: FramedPage): Markup {
  const { language, theme } = visit;
  return html`<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}"${theme === undefined ? undefined : html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · ${brand.name[language]}</title>
<meta name="description" content="${page.description}">
${page.refreshS === undefined ? undefined : html`<meta http-equiv="refresh" content="${page.refreshS}">`}
${page.unlisted ? html`<meta name="robots" content="noindex">` : addresses(visit, page)}
${manifest === undefined ? undefined : files(manifest)}
${brandStyle(brand)}
</head>
<body>
${DRAWINGS}
<a class="skip" href="#main">${TEXTS.skip[language]}</a>
${header(visit, brand)}
<main id="main">
${page.content}
</main>
${footer(visit, brand, published)}
<p class="vh" role="status" data-said data-copied="${TEXTS.copied[language]}"></p>
</body>
</html>`;
}

/** One address per language, and one that uses the reader's own. */
function addresses({ language, origin, path }: PageVisit, { query }: FramedPage): Markup {
  const own = (one: 'fa' | 'en') => `${origin}${addressOf(one, path, query)}`;
  const text = query?.toString() ?? '';
  return html`<link rel="canonical" href="${own(language)}">
<link rel="alternate" hreflang="fa" href="${own('fa')}">
<link rel="alternate" hreflang="en" href="${own('en')}">
<link rel="alternate" hreflang="x-default" href="${origin}${path}${text === '' ? '' : `?${text}`}">`;
}

function files({ icon: picture, font, site, siteScript }: Manifest): Markup {
  return html`<link rel="icon" href="/assets/${picture}" type="image/svg+xml">
<link rel="preload" href="/assets/${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/assets/${site}">
<script type="module" src="/assets/${siteScript}"></script>`;
}

function header(visit: PageVisit, brand: Brand): Markup {
  const { language, signedIn } = visit;
  const say = (text: Text) => text[language];
  const enter = signedIn
    ? html`<a class="btn" href="/console">${say(TEXTS.console)}</a>`
    : html`<a class="btn plain hs" href="/console">${say(TEXTS.signIn)}</a><a class="btn" href="/console">${say(TEXTS.signUp)}</a>`;
  return html`<header class="site-top"><div class="site-bar">
<a class="brand" href="${addressOf(language, '/')}">${mark(brand)}${brand.name[language]}</a>
<nav aria-label="${say(TEXTS.main)}">${links(visit)}</nav>
<div class="end">${languageSwitch(visit, 'btn plain hs')}<button class="btn icon" type="button" data-theme-switch hidden aria-label="${say(TEXTS.theme)}">${icon('moon')}</button>${enter}<button class="btn icon only-s" type="button" popovertarget="menu" aria-label="${say(TEXTS.menu)}">${icon('menu')}</button></div>
</div>
<div class="site-menu" id="menu" popover><nav aria-label="${say(TEXTS.menu)}">${links(visit)}${signedIn ? undefined : html`<a href="/console">${say(TEXTS.signIn)}</a>`}${languageSwitch(visit, '')}</nav></div>
</header>`;
}

function links({ language, path }: PageVisit, shown = LINKS): Markup[] {
  return shown.map(([href, name]) => {
    const isHere = path === href || path.startsWith(`${href}/`) || (href === '/catalog' && path.startsWith('/models'));
    return html`<a href="${addressOf(language, href)}"${isHere ? html` aria-current="page"` : undefined}>${name[language]}</a>`;
  });
}

function languageSwitch(visit: PageVisit, style: string): Markup {
  const other = visit.language === 'fa' ? 'en' : 'fa';
  return html`<a class="${style}" href="${switchedAddress(visit, other)}" lang="${other}" hreflang="${other}" data-language="${other}">${other === 'fa' ? 'فارسی' : 'English'}</a>`;
}

function footer(visit: PageVisit, brand: Brand, published: NonNullable<Dress['published']>): Markup {
  const { language } = visit;
  return html`<footer class="site-foot"><div>
<p><span class="brand">${mark(brand)}${brand.name[language]}</span>${TEXTS.about[language]}${support(brand, language)}</p>
<nav aria-label="${TEXTS.foot[language]}">${links(visit)}${links(visit, [...published, CHANGES])}<a href="/api/openapi.json">${TEXTS.machine[language]}</a><a href="/operator" rel="nofollow">${TEXTS.staff[language]}</a></nav>
</div></footer>`;
}

function support({ support: { phone, email, address } }: Brand, language: Language): Markup | undefined {
  const ways = [
    phone === null ? undefined : html`<a href="tel:${phone.replace(/[^+\d]/g, '')}" dir="ltr">${phone}</a>`,
    email === null ? undefined : html`<a href="mailto:${email}" dir="ltr">${email}</a>`,
    address === null
      ? undefined
      : html`<a href="${address}" dir="ltr" rel="noreferrer">${address.replace(/^https?:\/\//, '')}</a>`,
  ].filter((way) => way !== undefined);
  return ways.length === 0 ? undefined : html`<span class="support">${TEXTS.support[language]}: ${ways}</span>`;
}
