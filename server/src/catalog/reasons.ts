/** Why something is refused, in both languages: models, prices, providers and lists. */
import type { Text } from '@dargah/core/text.ts';

export const catalogReasons = {
  idInUse: { fa: 'این شناسه قبلاً استفاده شده است.', en: 'This id is already in use.' },
  variableOnlyInFile: {
    fa: 'فقط در فایل تنظیمات پذیرفته است.',
    en: 'Only the configuration file may name a variable.',
  },
  noSuch: (persian: string, id: string, what: string): Text => ({
    fa: `${persian} «${id}» وجود ندارد.`,
    en: `No ${what} has the id '${id}'.`,
  }),
  definedInFile: {
    fa: 'این مورد در فایل تنظیمات تعریف شده و فقط همان‌جا تغییر می‌کند.',
    en: 'This is defined in the configuration file and changes only there.',
  },
  madeByTheGateway: {
    fa: 'این مورد را سیستم ساخته است؛ به‌جای حذف یا تغییر، آن را غیرفعال کنید.',
    en: 'This was made by the gateway itself; disable it instead.',
  },
  listNeedsSource: { fa: 'آدرس یا خودِ فهرست لازم است.', en: 'Give an address or a document.' },
  addressAnswersNoJson: { fa: 'پاسخ این آدرس یک سند JSON نیست.', en: 'The address does not answer JSON.' },
  addressUnreadable: (detail: string): Text => ({
    fa: 'این آدرس خوانده نشد.',
    en: `The address could not be read: ${detail}.`,
  }),
  listChangesMuch: (doubt: string): Text => ({
    fa: 'این فهرست بیش از اندازه تغییر می‌دهد؛ اگر درست است با تأیید دوباره اعمالش کنید.',
    en: `This list changes more than is usual (${doubt}); if it is right, insist on it.`,
  }),
  routeOfTheCatalog: {
    fa: 'این مسیر از کاتالوگ است؛ ارائه‌دهنده را غیرفعال کنید یا مسیر بهتری اضافه کنید.',
    en: "This route is the catalog's; disable its provider or add a better route.",
  },
  listAnnounced: {
    fa: 'این فهرست اعلام شده است؛ اول آن را لغو کنید.',
    en: 'This list is announced already; take it back first.',
  },
  listNotAnnounced: {
    fa: 'این فهرست اعلام نشده یا قبلاً اعمال شده است.',
    en: 'This list is not announced, or is in force already.',
  },
  priceNotByHand: { fa: 'این قیمت دستی تعیین نشده است.', en: 'This price was not set by hand.' },
  priceNotAnnounced: {
    fa: 'فقط قیمتی که دستی اعلام شده و زمانش نرسیده است لغو می‌شود.',
    en: 'Only a price that was announced by hand and is not in force yet can be taken back.',
  },
  mustBeFuture: {
    fa: 'باید زمانی در آینده مانند «2027-03-21T00:00:00+03:30» باشد.',
    en: 'It must be a future time such as 2027-03-21T00:00:00+03:30.',
  },
  alreadyInForce: {
    fa: 'این تغییر قبلاً اعمال شده است.',
    en: 'This change is in force already; make another one instead.',
  },
  nothingToChange: { fa: 'هیچ تغییری خواسته نشده است.', en: 'Nothing was asked to change.' },
  unknownMarginSubject: {
    fa: 'باید نام یک سازنده یا مدل از فهرست باشد.',
    en: "The subject must be a vendor or a model of the list: other models' prices are written in toman.",
  },
  termsSetInFile: {
    fa: 'نرخ ارز و حاشیهٔ سود در فایل تنظیمات تعیین شده و فقط همان‌جا تغییر می‌کند.',
    en: 'The exchange rate and margin are set in the configuration file and change only there.',
  },
  priceOutOfBounds: (model: string, detail: string): Text => ({
    fa: `قیمت ${model} از اندازه بیرون می‌رود.`,
    en: `The price of ${model} would be out of bounds: ${detail}.`,
  }),
  credentialsOnTheirOwn: {
    fa: 'کلیدها جداگانه اضافه و حذف می‌شوند.',
    en: 'Credentials are added and removed on their own.',
  },
  rateSetInFile: {
    fa: 'نرخ ارز در فایل تنظیمات تعیین شده و فقط همان‌جا تغییر می‌کند.',
    en: 'The exchange rate is set in the configuration file and changes only there.',
  },
} as const;
