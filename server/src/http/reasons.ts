/** Why requests to the web server and the console are refused, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const httpReasons = {
  noSuchRequest: {
    fa: 'این حساب چنین درخواستی ندارد.',
    en: 'The account has no such request.',
  },
  bodyTooLarge: { fa: 'بدنهٔ درخواست بزرگ‌تر از حد مجاز است.', en: 'The request body is larger than allowed.' },
  unreadable: { fa: 'درخواست خوانا نبود.', en: 'The request could not be read.' },
  tooManySockets: (most: number): Text => ({
    fa: `این کلید همین حالا ${most} اتصال «WebSocket» باز دارد که بیشترین تعداد مجاز است.`,
    en: `This key has ${most} WebSockets open, which is the most it may have.`,
  }),
  tooManySocketsOfAccount: (most: number): Text => ({
    fa: `این حساب همین حالا ${most} اتصال «WebSocket» باز دارد که بیشترین تعداد مجاز است.`,
    en: `This account has ${most} WebSockets open, which is the most it may have.`,
  }),
  tooManyMessages: (most: number): Text => ({
    fa: `روی هر اتصال یک پاسخ در یک زمان ساخته می‌شود و حداکثر ${most} پیام منتظر می‌ماند.`,
    en: `A connection answers one message at a time, and at most ${most} wait.`,
  }),
  socketTooOld: {
    fa: 'عمر این اتصال تمام شد؛ دوباره وصل شوید.',
    en: 'This connection has reached its longest time; connect again.',
  },
  notInRealtime: {
    fa: 'فقط مکالمه با «model» پشتیبانی می‌شود.',
    en: 'Only sessions with a model are served here.',
  },
  oldRealtime: {
    fa: 'نسخهٔ آزمایشی قدیمی پشتیبانی نمی‌شود؛ این هدر را نفرستید.',
    en: 'The old beta dialect is not served; send no such header.',
  },
  secretOfOtherModel: {
    fa: 'این رمز برای مدل دیگری ساخته شده است.',
    en: 'This client secret was made for another model.',
  },
  sessionTooLarge: (most: number): Text => ({
    fa: `تنظیمات مکالمه از ${most} کاراکتر بیشتر است.`,
    en: `The settings of the session are longer than ${most} characters.`,
  }),
  confirmByName: {
    fa: 'برای بستن حساب، نام آن را کامل بنویسید.',
    en: "'confirm' must be the name of the account.",
  },
  alertOff: { fa: 'این هشدار خاموش است.', en: 'This alert is switched off.' },
  foreignOrigin: {
    fa: 'هدر «Origin» باید با آدرس همین سیستم یکی باشد.',
    en: 'The Origin header must be the address of this service.',
  },
  customersOwnKey: {
    fa: 'متن کلید مشتری را فقط خود مشتری می‌بیند؛ از او بخواهید کلید جدید بسازد.',
    en: 'Only customers see the text of their keys; ask them to make a new one.',
  },
  accountClosed: {
    fa: 'این حساب بسته شده است و فقط خوانده می‌شود.',
    en: 'This account is closed; it can only be read.',
  },
  playgroundKey: {
    fa: 'این کلیدِ محیط آزمایش است و همان‌جا تغییر می‌کند.',
    en: 'This is the key of the playground and changes there.',
  },
  reasonMissing: {
    fa: 'دلیل لازم است: در «note» بنویسید چرا، حداقل سه کاراکتر.',
    en: "A reason is needed: say why in 'note', in at least three characters.",
  },
  ownTransferId: {
    fa: 'شناسه‌هایی که با «topup:»، «refund:»، «chargeback:»، «welcome:»، «opening:» یا «hand:» شروع می‌شوند متعلق به خود سرویس‌اند.',
    en: 'Ids that begin with topup:, refund:, chargeback:, welcome:, opening: or hand: are those of the service itself.',
  },
  dayIsOver: { fa: 'این روز گذشته است.', en: 'This day is over.' },
  dayToCome: { fa: 'این روز هنوز نیامده است.', en: 'This day is still to come.' },
  approvalWaits: {
    fa: 'این کار در انتظار تأیید نفر دوم است.',
    en: 'This waits for the approval of a second person.',
  },
  notOfThisKind: (field: string): Text => ({
    fa: `«${field}» برای این نوع ثبت معنا ندارد.`,
    en: `'${field}' means nothing for this kind.`,
  }),
  notForTokens: {
    fa: 'این کار با توکن ممکن نیست؛ مالک باید خودش در کنسول انجامش دهد.',
    en: 'No token may do this; an owner does it in the console.',
  },
  scopeMissing: (scope: string): Text => ({
    fa: `این توکن دامنهٔ «${scope}» را ندارد.`,
    en: `This token does not have the scope '${scope}'.`,
  }),
  noMoreAccounts: { fa: 'بیش از این حساب نمی‌توان ساخت.', en: 'No more accounts can be made.' },
  spanOutOfBounds: (most: number): Text => ({
    fa: `بازه باید از یک لحظه تا ${most.toLocaleString('fa')} روز باشد.`,
    en: `The span must be positive and at most ${most} days.`,
  }),
  costOverNotToman: { fa: '«cost_over» باید مبلغ به تومان باشد.', en: "'cost_over' must be toman." },
  onlyBackgroundCancelled: {
    fa: 'فقط پاسخ پس‌زمینه را می‌توان لغو کرد.',
    en: 'Only an answer in the background can be cancelled.',
  },
  textOrUrl: { fa: 'یکی از «text» و «url» لازم است.', en: "Exactly one of 'text' and 'url' is needed." },
  oneFileOnly: { fa: 'فقط یک فایل در «file» پذیرفته است.', en: "Only one file is accepted, in 'file'." },
  formUnreadable: { fa: 'فرم فرستاده‌شده کامل یا خوانا نیست.', en: 'The multipart form is incomplete or unreadable.' },
} as const;
