/**
 * THE LIST of what is kept of customers, made from the settings in force. The console's page, the public page and the
 * API show this list and nothing else, so that none of them can promise what the service does not do. A test requires
 * that every table of the database is named here or holds nothing of customers.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import { KEPT_SECONDS } from '../batches/index.ts';
import { CLIENT_SECRET_SECONDS, type PromptLogging } from '../keys/index.ts';
import { PICTURE_LIFETIME_MS } from '../pictures/index.ts';
import { KEPT_OF_PEOPLE } from './kept-of-people.ts';
import type { KeptThing, Until } from './kept-thing.ts';
import { MEMBERS, OWN_API, STAFF, TEXT_READERS } from './readers.ts';

/** Limits of the service that decide how long something is kept; they are read at every use. */
export interface KeptTerms {
  logRetentionDays: number;
  /** Where an archive is configured: after how many days requests move there. */
  logArchiveDays?: number;
  promptLogMaxDays: number;
  responseStoreKeepMs: number;
  idempotencyKeepMs: number;
  /** With 0 the database keeps no answer, only the fact that one was given. */
  idempotencyMaxAccountBytes: number;
  /** With 0 no stream can be continued. */
  resumeMaxSeconds: number;
  /** With 0 no answer is cached for equal requests. */
  cacheMaxSeconds: number;
}

/** Absent for a reader without an account. */
export interface OwnTerms {
  logPrompts: PromptLogging | null;
}

export function keptThings(terms: KeptTerms, account?: OwnTerms): KeptThing[] {
  return [
    requests(terms),
    texts(terms, account),
    ...answers(terms),
    frames(terms),
    cachedAnswers(terms),
    PICTURES,
    ...FILES,
    ...KEPT_OF_PEOPLE,
  ];
}

function requests({ logRetentionDays, logArchiveDays = 0 }: KeptTerms): KeptThing {
  return {
    id: 'requests',
    title: { fa: 'گزارش درخواست‌ها', en: 'The request log' },
    what: {
      fa: 'زمان، کلید، مدل، مسیر API، تعداد توکن‌ها، هزینه، مدت، وضعیت و کد خطا، شناسهٔ کاربر نهایی که خودتان می‌فرستید، و نام بندهای پایگاه دانش. بدون متن پرسش و پاسخ.',
      en: 'Time, key, model, endpoint, tokens, cost, duration, state and error code, the end user’s id that you send, and names of passages of knowledge bases. Without the texts of prompts and answers.',
    },
    until: { by: 'age', ms: Math.max(logRetentionDays, logArchiveDays) * DAY_MS },
    where: 'database',
    readers: MEMBERS,
    atClosing: 'kept',
    decides: 'service',
    path: '/console/requests',
    tables: ['request_log', 'request_log_default', 'late_request', 'cost_corrected'],
  };
}

function texts({ promptLogMaxDays }: KeptTerms, account: OwnTerms | undefined): KeptThing {
  return {
    id: 'texts',
    title: { fa: 'متن پرسش و پاسخ در رسیدها', en: 'Prompts and answers on receipts' },
    what: {
      fa: 'متن گفت‌وگوها، از هر رابطی که بیایند. از مسیرهای دیگر (بردارسازی، صدا، تصویر، بازرتبه‌بندی، بررسی محتوا) چیزی نگه داشته نمی‌شود.',
      en: 'The texts of chats, in all their protocols. Of other endpoints (embeddings, audio, images, rerank, moderations) none is kept.',
    },
    until: textsUntil(promptLogMaxDays, account),
    where: 'encrypted',
    readers: TEXT_READERS,
    atClosing: 'deleted',
    decides: 'account',
    path: '/console/settings/account',
    tables: ['request_text'],
  };
}

/** The operator's maximum counts, whatever the account or the key asks for. */
export function textsUntil(maxDays: number, account: OwnTerms | undefined): Until {
  if (account === undefined) return { by: 'if-asked', ms: maxDays * DAY_MS };
  const { logPrompts } = account;
  return logPrompts?.enabled ? { by: 'age', ms: Math.min(logPrompts.days, maxDays) * DAY_MS } : { by: 'nothing' };
}

function answers({ responseStoreKeepMs, idempotencyKeepMs, idempotencyMaxAccountBytes }: KeptTerms): KeptThing[] {
  const stored: Until = responseStoreKeepMs === 0 ? { by: 'nothing' } : { by: 'last-use', ms: responseStoreKeepMs };
  const common = {
    where: 'database',
    readers: OWN_API,
    atClosing: 'deleted',
    decides: 'caller',
    path: '/guide',
  } as const;
  return [
    {
      ...common,
      id: 'responses',
      title: { fa: 'پاسخ‌های Responses API', en: 'Responses of the Responses API' },
      what: {
        fa: 'ورودی و پاسخ، تا بتوان با شناسه ادامه‌شان داد. با «\u2066store:\u00a0false\u2069» چیزی ذخیره نمی‌شود و با «DELETE» زودتر پاک می‌شود.',
        en: 'Input and answer, so that they can be continued by id. store: false keeps none; DELETE deletes earlier.',
      },
      until: stored,
      tables: ['response_store'],
    },
    {
      ...common,
      id: 'conversations',
      title: { fa: 'گفت‌وگوهای ذخیره‌شده', en: 'Stored conversations' },
      what: {
        fa: 'همهٔ نوبت‌های گفت‌وگویی که با Conversations API می‌سازید. «\u2066store:\u00a0false\u2069» نوبتی را از گفت‌وگویش بیرون نمی‌گذارد.',
        en: 'All turns of conversations that you make with the Conversations API. store: false does not keep a turn out of its conversation.',
      },
      until: stored,
      tables: ['conversation', 'conversation_item'],
    },
    {
      ...common,
      id: 'client_secrets',
      title: { fa: 'رمزهای کوتاه‌مدت مکالمهٔ زنده', en: 'Client secrets of realtime sessions' },
      what: {
        fa: 'هش رمز و تنظیماتی که مکالمه با آن شروع می‌شود، از جمله دستورها. صدا و متن خود مکالمه نگه داشته نمی‌شود.',
        en: 'The digest of a secret and the settings that its sessions begin with, instructions included. Sound and text of sessions are not kept.',
      },
      until: { by: 'age', ms: CLIENT_SECRET_SECONDS.most * 1_000 },
      tables: ['realtime_secret'],
    },
    {
      ...common,
      id: 'idempotent',
      title: { fa: 'پاسخ‌های زیر «Idempotency-Key»', en: 'Answers under an Idempotency-Key' },
      what:
        idempotencyMaxAccountBytes === 0
          ? {
              fa: 'فقط هش درخواست و اینکه پاسخ داده شده است؛ خود پاسخ در پایگاه داده ذخیره نمی‌شود.',
              en: 'Only a digest of the request and that it was answered; the answer itself is not stored in the database.',
            }
          : {
              fa: 'پاسخ، تا تکرار درخواست همان را بگیرد. از خود درخواست فقط هش آن می‌ماند.',
              en: 'The answer, so that a repeated request gets the same one. Of the request only a digest.',
            },
      until: { by: 'age', ms: idempotencyKeepMs },
      tables: ['idempotency_claim'],
    },
  ];
}

const PICTURES: KeptThing = {
  id: 'pictures',
  title: { fa: 'تصویرهایی که با آدرس خواسته‌اید', en: 'Pictures asked for by address' },
  what: {
    fa: 'تصویری که با «response_format» برابر «url» ساخته می‌شود، تا با آدرسش گرفته شود. هر کس آدرس را داشته باشد آن را می‌بیند؛ آدرس را نمی‌توان حدس زد.',
    en: 'A picture that was drawn with response_format url, so that it can be fetched at its address. Whoever has the address sees it; it cannot be guessed.',
  },
  until: { by: 'if-asked', ms: PICTURE_LIFETIME_MS },
  where: 'database',
  readers: OWN_API,
  atClosing: 'deleted',
  decides: 'caller',
  path: '/guide',
  tables: ['drawn_picture', 'drawn_picture_part'],
};

/** The replay buffer (server/src/replay): with replicas it is also in their Redis, which expires it by itself. */
function frames({ resumeMaxSeconds }: KeptTerms): KeptThing {
  return {
    id: 'frames',
    title: { fa: 'استریم‌هایی که می‌توان ادامه داد', en: 'Streams that can be continued' },
    what: {
      fa: 'پاسخی که استریم می‌شود، تا اتصال قطع‌شده از همان‌جا ادامه پیدا کند: با «svc.resume_seconds»، قانون کلید، در محیط آزمایش (که فقط همان شخص می‌تواند ادامه دهد)، یا استریم پاسخی که در پس‌زمینه ساخته می‌شود. از خود پرسش چیزی نگه داشته نمی‌شود.',
      en: 'The streamed answer, so that a broken connection goes on: with svc.resume_seconds, the rule of the key, in the playground (for the same person alone), or the stream of an answer in the background. Nothing of the prompt.',
    },
    until: resumeMaxSeconds === 0 ? { by: 'nothing' } : { by: 'if-asked', ms: resumeMaxSeconds * 1_000 },
    where: 'memory',
    readers: OWN_API,
    atClosing: 'nothing-left',
    decides: 'caller',
    path: '/guide',
    tables: [],
  };
}

/** The response cache (server/src/responsecache): with replicas it is also in their Redis. */
function cachedAnswers({ cacheMaxSeconds }: KeptTerms): KeptThing {
  return {
    id: 'cached-answers',
    title: { fa: 'کش پاسخ', en: 'The response cache' },
    what: {
      fa: 'پاسخ، تا درخواستی که عیناً تکرار می‌شود همان را بگیرد: با «svc.cache_seconds» یا قانون کلید؛ فقط برای همین حساب. از خود پرسش فقط هش آن می‌ماند و هر زمان بخواهید خالی‌اش می‌کنید.',
      en: 'The answer, so that an equal request gets it again: with svc.cache_seconds or the rule of the key, for this account alone. Of the request only a digest; you can empty it at any time.',
    },
    until: cacheMaxSeconds === 0 ? { by: 'nothing' } : { by: 'if-asked', ms: cacheMaxSeconds * 1_000 },
    where: 'memory',
    readers: OWN_API,
    atClosing: 'deleted',
    decides: 'caller',
    path: '/console/usage',
    tables: [],
  };
}

const FILES: readonly KeptThing[] = [
  {
    id: 'knowledge',
    title: { fa: 'پایگاه‌های دانش', en: 'Knowledge bases' },
    what: {
      fa: 'متن سندها به شکل بند، با بردارها و کلمه‌هایشان. خود فایل پس از خوانده شدن حذف می‌شود.',
      en: 'The texts of documents as passages, with their vectors and words. The file itself is deleted once it is read.',
    },
    until: { by: 'deletion' },
    where: 'database',
    readers: MEMBERS,
    atClosing: 'kept',
    decides: 'account',
    path: '/console/knowledge',
    tables: [
      'knowledge_base',
      'knowledge_document',
      'knowledge_content',
      'knowledge_passage',
      'knowledge_vector',
      'knowledge_word',
      'knowledge_posting',
      'knowledge_job',
    ],
  },
  {
    id: 'batches',
    title: { fa: 'فایل‌ها و دسته‌ها', en: 'Files and batches' },
    what: {
      fa: 'فایل‌هایی که برای دسته‌ها آپلود می‌کنید و پاسخ هر درخواست دسته؛ تا زمانی که خودتان حذف کنید یا مهلتشان تمام شود. مهلت را با «expires_after» کوتاه‌تر کنید.',
      en: 'Files that you upload for batches, and the answer to every request of a batch; until you delete them or their time is over, which expires_after makes shorter.',
    },
    until: { by: 'age', ms: KEPT_SECONDS * 1_000 },
    where: 'database',
    readers: MEMBERS,
    atClosing: 'deleted',
    decides: 'caller',
    path: '/console/batches',
    tables: ['stored_file', 'stored_file_chunk', 'batch', 'batch_line'],
  },
  {
    id: 'uploads',
    title: { fa: 'فایل‌های صوتی و فایل‌های آپلودشده', en: 'Audio and other uploads' },
    what: {
      fa: 'فایل تا رسیدن به ارائه‌دهنده روی دیسک می‌ماند.',
      en: 'A file waits on disk until a provider has it.',
    },
    until: { by: 'request' },
    where: 'disk',
    readers: STAFF.none,
    atClosing: 'nothing-left',
    decides: 'nobody',
    path: null,
    tables: [],
  },
];
