/** Why requests are refused on their path, in both languages. */
import { CAP_FIELDS } from '@dargah/core/fields/account-rules.ts';
import type { Text } from '@dargah/core/text.ts';
import type { CapPeriod, CapScope, CapSetter } from '../keys/index.ts';

const CAP_OWNERS = {
  key: { fa: 'این کلید', en: 'of the key' },
  service: { fa: 'حساب، که پشتیبانی تعیین کرده،', en: 'of the account, set by support,' },
  account: { fa: 'حساب، که مدیران خود حساب تعیین کرده‌اند،', en: 'of the account, set by its own admins,' },
};
const OWNERS = { key: 'این کلید', account: 'حساب' };

export const gatewayReasons = {
  notOfAuto: (name: string): Text => ({
    fa: `مدل «${name}» در میان مدل‌های «auto» نیست.`,
    en: `The model ${name} is not one of those that auto chooses among.`,
  }),
  noAutoModel: {
    fa: 'هیچ‌کدام از مدل‌های «auto» با این درخواست و قوانین کلید جور نیست.',
    en: 'None of the models of auto fits the request and the rules of the key.',
  },
  capReached: (
    { scope, setBy, budgetName }: { scope: CapScope; setBy: CapSetter; budgetName: string | undefined },
    period: CapPeriod,
    toman: string,
    until: Text | undefined,
  ): Text => {
    const owner =
      budgetName === undefined
        ? CAP_OWNERS[scope === 'key' ? 'key' : setBy]
        : { fa: `بودجهٔ مشترک «${budgetName}»`, en: `of the shared budget “${budgetName}”` };
    return {
      fa: `${CAP_FIELDS[period].label.fa} برای ${owner.fa} ${toman} تومان است${until ? ` و ${until.fa} از نو شروع می‌شود` : ''}.`,
      en: `The ${CAP_FIELDS[period].label.en.toLowerCase()} ${owner.en} is ${toman} toman${until ? ` and starts anew on ${until.en}` : ''}.`,
    };
  },
  notAtProvider: (id: string): Text => ({
    fa: `فایل یا مخزنی با شناسهٔ «${id}» پیدا نشد.`,
    en: `There is no file or store '${id}'.`,
  }),
  echoNotAllowed: {
    fa: 'این حساب درخواست ارسالی به ارائه‌دهنده را نمی‌بیند (قاعدهٔ «upstream_echo»). پشتیبانی می‌تواند آن را باز کند.',
    en: 'This account does not see what providers are sent (rule upstream_echo). Support can open it.',
  },
  echoNotWith: (what: string): Text => ({
    fa: `با «${what}» نمی‌شود، چون پاسخ نگه داشته می‌شود و این بخش هیچ‌جا نگه داشته نمی‌شود.`,
    en: `It does not go with ${what}, which keeps the answer: the echo is kept nowhere.`,
  }),
  rateReached: (limit: string, owner: 'key' | 'account', most: number): Text => ({
    fa: `حد ${OWNERS[owner]} ${most} ${limit === 'tpm' ? 'توکن' : 'درخواست'} در دقیقه است.`,
    en: `The limit of the ${owner} is ${most} ${limit === 'tpm' ? 'tokens' : 'requests'} per minute.`,
  }),
  moreTokensThanAMinute: (tokens: number, limit: number): Text => ({
    fa: `این درخواست ${tokens} توکن می‌خواهد و سقف این کلید ${limit} توکن در دقیقه است؛ ورودی را کوتاه‌تر یا «max_tokens» را کمتر کنید.`,
    en: `This request takes ${tokens} tokens and the key's limit is ${limit} tokens per minute; shorten the input or lower max_tokens.`,
  }),
  runsInCircles: { fa: 'درخواست بین درگاه‌ها می‌چرخد.', en: 'The request runs in circles between gateways.' },
  noRouteAgrees: {
    fa: 'هیچ مسیری همهٔ این شرط‌ها را ندارد.',
    en: 'No route of this model agrees with these preferences.',
  },
  notProved: (name: Text): Text => ({
    fa: `هیچ‌یک از مسیرهای این مدل همهٔ آنچه این درخواست می‌خواهد را ندارد (${name.fa}).`,
    en: `No route of this model does all that the request needs (${name.en}).`,
  }),
  emptyBody: { fa: 'بدنهٔ درخواست خالی است.', en: 'The request body is empty.' },
  bodyNotUtf8: { fa: 'بدنه با UTF-8 نوشته نشده است.', en: 'The body is not valid UTF-8.' },
  bodyNoObject: { fa: 'بدنه باید یک شیء JSON باشد.', en: 'The body must be a JSON object.' },
  nestedTooDeep: (most: number): Text => ({
    fa: `بدنه بیش از ${most} لایه تو در تو است.`,
    en: `The body is nested deeper than ${most} levels.`,
  }),
  tooManyFields: (most: number): Text => ({
    fa: `بدنه بیش از ${most} فیلد دارد.`,
    en: `The body has more than ${most} fields, or too many items.`,
  }),
  protoKey: { fa: 'کلید «__proto__» مجاز نیست.', en: 'The key __proto__ is not allowed.' },
  bodyNoJson: { fa: 'بدنه JSON معتبر نیست.', en: 'The body is not valid JSON.' },
  noModel: {
    fa: 'نه «model» فرستاده شده و نه کلید مدل پیش‌فرض دارد.',
    en: 'No model was given and the key has no default model.',
  },
  wrongKindOfModel: (model: string, persianKind: string, kind: string): Text => ({
    fa: `مدل «${model}» برای این مسیر نیست؛ کار آن ${persianKind} است.`,
    en: `The model ${model} is not for this endpoint (${kind}).`,
  }),
  providerRefused: {
    fa: 'ارائه‌دهندهٔ مدل این درخواست را نپذیرفت.',
    en: "The model's provider did not accept this request.",
  },
  emptyFile: { fa: 'فایل خالی است.', en: 'The file is empty.' },
  framesNotKept: {
    fa: 'قاعدهٔ این کلید یا تنظیم سرویس اجازه نمی‌دهد فریم‌های استریم نگه داشته شوند؛ پاسخ پس‌زمینه را بدون «stream» بخواهید.',
    en: 'The rule of this key or a setting of the service allows no frames to be kept; ask for the answer without stream.',
  },
  cacheTooLong: (most: number): Text => ({
    fa:
      most === 0
        ? 'این سرویس پاسخ‌ها را در کش نگه نمی‌دارد.'
        : `این سرویس پاسخ‌ها را حداکثر ${most} ثانیه در کش نگه می‌دارد.`,
    en: most === 0 ? 'This service caches no answers.' : `This service caches answers for at most ${most} seconds.`,
  }),
  resumeNeedsStream: {
    fa: 'فقط پاسخی که استریم می‌شود ادامه دارد؛ «stream: true» بفرستید.',
    en: 'Only a stream can be continued; send stream: true.',
  },
  resumeNeedsEvents: {
    fa: 'فقط استریمی را می‌توان ادامه داد که با «alt=sse» خواسته شده باشد.',
    en: "Only a stream that was asked for with 'alt=sse' can be continued.",
  },
  resumeTooLong: (most: number): Text => ({
    fa: `حداکثر ${most} ثانیه ممکن است.`,
    en: most === 0 ? 'Streams cannot be continued on this service.' : `At most ${most} seconds are possible.`,
  }),
  noFrameNumber: {
    fa: 'شمارهٔ آخرین فریمی را بفرستید که گرفته‌اید: همان عددی که در «id:» آمده است.',
    en: 'Send the number of the last frame you have: what stood in its id.',
  },
  frameNotMade: (made: number): Text => ({
    fa: `این استریم تا فریم ${made} رسیده است.`,
    en: `This stream has got as far as frame ${made}.`,
  }),
  framesDropped: (dropped: number): Text => ({
    fa: `فریم‌های ۱ تا ${dropped} دیگر نگه داشته نمی‌شوند: پاسخ بلندتر از جایی شد که برایش هست.`,
    en: `Frames 1 to ${dropped} are not kept any more: the answer grew beyond the room there is for it.`,
  }),
  madeRoom: {
    fa: 'این استریم پیش از موعد جایش را به استریم‌های جدیدتر داد.',
    en: 'It made room for newer streams before its time.',
  },
  notKeptAnyMore: {
    fa: 'زمان نگه‌داری آن گذشته یا بدون «svc.resume_seconds» خواسته شده بود.',
    en: 'Its time is over, or it was asked for without svc.resume_seconds.',
  },
  nothingToContinue: {
    fa: 'زیر این «Idempotency-Key» پاسخی نیست که ادامه پیدا کند؛ برای پاسخ جدید «Last-Event-ID» را نفرستید.',
    en: 'There is no answer under this Idempotency-Key to continue; for a new one send no Last-Event-ID.',
  },
  backgroundMustBeStored: {
    fa: 'پاسخ پس‌زمینه باید نگه داشته شود؛ «store» نباید «false» باشد.',
    en: "An answer in the background must be stored: 'store' cannot be false.",
  },
  cannotBeStored: {
    fa: 'این درخواست را نمی‌توان نگه داشت؛ پس پاسخش در پس‌زمینه ساخته نمی‌شود.',
    en: 'This request cannot be stored, so it cannot be answered in the background.',
  },
  mediaUnreadable: (address: string, detail: string): Text => ({
    fa: `آدرس «${address}» را نمی‌توان خواند؛ خود داده را به صورت base64 بفرستید.`,
    en: `The address '${address}' could not be read (${detail}); send the data itself as base64.`,
  }),
  tooManyResponses: {
    fa: 'پاسخ‌های زیادی خواسته شده که هنوز شروع نشده‌اند.',
    en: 'Too many responses were asked for that have not begun.',
  },
  notOverSocket: {
    fa: 'این فیلد روی WebSocket پشتیبانی نمی‌شود؛ درخواست HTTP بفرستید.',
    en: 'This field is not served over a WebSocket; send an HTTP request.',
  },
  noSuchConversation: {
    fa: 'گفت‌وگویی با این شناسه نگه داشته نشده است.',
    en: 'No conversation with this id is stored.',
  },
  noSuchResponse: { fa: 'پاسخی با این شناسه نگه داشته نشده است.', en: 'No response with this id is stored.' },
  responseNotEnded: { fa: 'آن پاسخ هنوز به پایان نرسیده است.', en: 'That response has not ended yet.' },
  twoConversations: {
    fa: '«conversation» و «previous_response_id» با هم پذیرفته نیستند.',
    en: "'conversation' and 'previous_response_id' cannot be combined.",
  },
} as const;
