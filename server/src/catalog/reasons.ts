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
  noSuccessor: {
    fa: 'جانشین باید مدل دیگری از همین نوع باشد که روشن است و خودش کنار نمی‌رود.',
    en: 'The successor must be another model of the same kind that is on and stays.',
  },
  stillInUse: {
    fa: 'هنوز در کار است؛ اول آن را تخلیه یا خاموش کنید، سپس بایگانی کنید.',
    en: 'It is still in use; drain it or switch it off first, then retire it.',
  },
  usedBefore: {
    fa: 'درخواست‌هایی با آن پاسخ گرفته‌اند و رسیدها نامش را دارند؛ به‌جای حذف، بایگانی‌اش کنید.',
    en: 'Requests were answered with it and receipts name it; retire it instead of deleting it.',
  },
  routeThere: (model: string, provider: string): Text => ({
    fa: `مدل ${model} همین حالا هم از ${provider} مسیر دارد.`,
    en: `${model} has this route to ${provider} already.`,
  }),
  priceNeeded: (model: string): Text => ({
    fa: `برای ${model} قیمتی در فهرست نیست؛ قیمتش را به تومان بنویسید.`,
    en: `No list has a price for ${model}: say one in toman.`,
  }),
  changedMeanwhile: (subject: string): Text => ({
    fa: `در این بین کس دیگری «${subject}» را تغییر داده است؛ پیش‌نویس را از نو ببینید.`,
    en: `Somebody else has changed ${subject} meanwhile; look at the draft again.`,
  }),
  notADraft: { fa: 'این تغییر دیگر پیش‌نویس نیست.', en: 'This change is no draft any more.' },
  notUndoable: {
    fa: 'فقط تغییری که منتشر شده و برگردانده نشده است برگردانده می‌شود.',
    en: 'Only a change that is published and not undone yet can be undone.',
  },
  rateMoved: {
    fa: 'نرخ ارز یا حاشیهٔ سود در این بین تغییر کرده است؛ دوباره ببینید و تأیید کنید.',
    en: 'The exchange rate or the margin has changed meanwhile; look again and confirm.',
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
