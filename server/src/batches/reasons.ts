/** Reasons for refusals of files, batches and their lines, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const batchReasons = {
  tooManyFiles: (limit: number): Text => ({
    fa: `هر حساب حداکثر ${limit} فایل دارد؛ فایل‌هایی را که لازم ندارید حذف کنید.`,
    en: `An account has at most ${limit} files; delete those you no longer need.`,
  }),
  noRoomForFiles: (bytes: number): Text => ({
    fa: `جای فایل‌های هر حساب ${bytes} بایت است؛ فایل‌هایی را که لازم ندارید حذف کنید.`,
    en: `The files of an account have room for ${bytes} bytes; delete those you no longer need.`,
  }),
  tooManyBatches: (limit: number): Text => ({
    fa: `${limit} دستهٔ ناتمام دارید؛ صبر کنید تا یکی از آن‌ها تمام شود یا یکی را لغو کنید.`,
    en: `You have ${limit} batches that have not ended; wait for one of them or cancel one.`,
  }),
  fileInUse: {
    fa: 'دسته‌ای که تمام نشده این فایل را می‌خواند.',
    en: 'A batch that has not ended reads this file.',
  },
  noSuchFile: {
    fa: 'این حساب چنین فایلی با هدف «batch» ندارد.',
    en: 'The account has no such file with the purpose batch.',
  },
  emptyFile: { fa: 'فایل خالی است.', en: 'The file is empty.' },
  notEnded: {
    fa: 'این دسته هنوز تمام نشده است.',
    en: 'The batch has not ended yet.',
  },
  lineNoJson: { fa: 'این سطر یک شیء JSON نیست.', en: 'This line is not a JSON object.' },
  lineNotUtf8: { fa: 'این سطر متن UTF-8 نیست.', en: 'This line is not UTF-8.' },
  lineTooLong: (bytes: number): Text => ({
    fa: `این سطر بلندتر از ${bytes} بایت است.`,
    en: `This line is longer than ${bytes} bytes.`,
  }),
  tooManyLines: (limit: number): Text => ({
    fa: `دسته بیش از ${limit} درخواست دارد.`,
    en: `The batch has more than ${limit} requests.`,
  }),
  customIdTwice: {
    fa: 'این «custom_id» در سطری پیش از این هم آمده است.',
    en: 'This custom_id stands in an earlier line too.',
  },
  noRequests: { fa: 'در این دسته هیچ درخواستی نیست.', en: 'The batch has no requests.' },
  noStreams: {
    fa: 'درخواست‌های دسته استریم و اجرای پس‌زمینه ندارند.',
    en: 'Requests of a batch are neither streamed nor run in the background.',
  },
  bodyNoRequests: {
    fa: 'بدنه باید شیئی با فهرست «requests» باشد.',
    en: 'The body must be an object with the array requests.',
  },
} as const;
