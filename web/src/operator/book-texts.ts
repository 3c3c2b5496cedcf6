/** The books themselves and causes of failure, as people say them. */

import type { BookClass } from '@dargah/core/chart.ts';
import type { FailureKind } from '@dargah/core/failure-kinds.ts';
import { dictionary } from '../texts/dictionary.tsx';

const fa = {
  trial: 'تراز آزمایشی',
  book: 'دفتر',
  code: 'کد',
  classes: {
    asset: 'دارایی',
    liability: 'بدهی',
    equity: 'حقوق مالک',
    income: 'درآمد',
    expense: 'هزینه',
    legacy: 'بسته',
  } satisfies Record<BookClass, string>,
  debitShort: 'بدهکار',
  creditShort: 'بستانکار',
  debit: 'بدهکار، تومان',
  credit: 'بستانکار، تومان',
  balanced: 'بدهکار و بستانکار برابرند',
  unbalanced: 'بدهکار و بستانکار برابر نیستند',
  causes: {
    'broken-answer': 'پاسخ نادرست؛ مسیر دیگری پرسیده شد',
    credential: 'کلید پذیرفته نمی‌شود',
    'rate-limited': 'سقف ارائه‌دهنده پر است',
    'model-gone': 'مدل را نمی‌شناسد',
    server: 'خطای سرور ارائه‌دهنده',
    connect: 'وصل نمی‌شود',
    timeout: 'به‌موقع پاسخ نداد',
    malformed: 'پاسخ ناخوانا',
    truncated: 'پاسخ نیمه‌کاره',
    empty: 'پاسخ خالی',
    'client-fault': 'درخواست را نپذیرفت',
    'context-too-long': 'متن بلندتر از کانتکست مدل',
  } satisfies Record<FailureKind | 'broken-answer', string>,
};

const en: typeof fa = {
  trial: 'Trial balance',
  book: 'Book',
  code: 'Code',
  classes: {
    asset: 'Asset',
    liability: 'Liability',
    equity: 'Equity',
    income: 'Income',
    expense: 'Expense',
    legacy: 'Closed',
  },
  debitShort: 'Debit',
  creditShort: 'Credit',
  debit: 'Debit, toman',
  credit: 'Credit, toman',
  balanced: 'Debits equal credits',
  unbalanced: 'Debits do not equal credits',
  causes: {
    'broken-answer': 'Wrong answer; another route was asked',
    credential: 'Key not accepted',
    'rate-limited': "The provider's limit is reached",
    'model-gone': 'Does not know the model',
    server: "The provider's server fails",
    connect: 'Cannot be reached',
    timeout: 'Did not answer in time',
    malformed: 'Unreadable answer',
    truncated: 'Answer broken off',
    empty: 'Empty answer',
    'client-fault': 'Did not accept the request',
    'context-too-long': 'Longer than the context',
  },
};

export const useBookTexts = dictionary(fa, en);
