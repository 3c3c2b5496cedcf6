/** What a field must be, in both languages: the second half of "'temperature' must be …". */
import type { Text } from '@dargah/core/text.ts';

const words = (fa: string, en: string): Text => ({ fa, en });

export const expected = {
  text: words('متن', 'a string'),
  integer: words('عددی صحیح', 'an integer'),
  number: words('عدد', 'a number'),
  flag: words('«true» یا «false»', 'true or false'),
  list: words('فهرست', 'an array'),
  object: words('شیء', 'an object'),
  nothing: words('«null»', 'null'),
  jsonObject: words('یک شیء JSON', 'a JSON object'),
  json: words('JSON درست', 'valid JSON'),
  cleanText: words('متنی بدون کاراکتر کنترلی', 'text without control characters'),
  textOrParts: words('متن یا فهرستی از بخش‌ها', 'a string or an array of parts'),
  textOrItems: words('متن یا فهرستی از موردها', 'a string or an array of items'),
  textOrTexts: words('متن یا فهرستی از متن‌ها', 'a string or an array of strings'),
  textOrOneText: words('متن یا فهرستی با یک متن', 'a string or an array of one string'),
  prompts: words(
    'متن، فهرستی از متن‌ها، فهرستی از توکن‌ها یا فهرستی از چنین فهرست‌ها',
    'a string, an array of strings, an array of tokens or an array of such arrays',
  ),
  tokens: words('فهرستی از عددهای صحیح', 'an array of integers'),
  image: words('آدرس https یا خود تصویر به صورت base64', 'an https address or a base64 data URL of an image'),
  file: words('آدرس https یا خود داده به صورت base64', 'an https address or base64 data'),
  uploadedFile: words('فایل', 'a file'),
  base64: words('دادهٔ base64', 'base64 data'),
  httpsAddress: words('آدرس https', 'an https address'),
  toolName: words('۱ تا ۶۴ کاراکتر از حروف لاتین، رقم، زیرخط و خط تیره', '1–64 of a–z, A–Z, 0–9, _ and -'),
  aboveZero: words('بزرگ‌تر از صفر', 'above zero'),
  tomanAboveZero: words('مبلغی به تومان و بیش از صفر', 'an amount in toman above zero'),
  tomanFromZero: words('مبلغی به تومان، صفر یا بیشتر', 'an amount in toman, zero or more'),
  tomanNotZero: words('مبلغی به تومان، جز صفر و با حداکثر شش رقم اعشار', 'toman, not 0, with at most six decimals'),
  day: words('روزی مانند «2027-03-21»', 'a day such as 2027-03-21'),
  placeWithoutPassword: words('مسیر یا آدرسی بدون رمز', 'a path or an address without a password'),
  offeredGateway: words('یکی از درگاه‌های همین حساب', 'one of the gateways that are offered'),
  valid: words('درست', 'valid'),
  exactly: (value: string): Text => words(`«${value}»`, value),
  between: (min: number | string, max: number | string): Text => words(`از ${min} تا ${max}`, `from ${min} to ${max}`),
  numberBetween: (min: number, max: number): Text =>
    words(`عددی از ${min} تا ${max}`, `a number from ${min} to ${max}`),
  integerBetween: (min: number, max: number): Text =>
    words(`عدد صحیحی از ${min} تا ${max}`, `an integer from ${min} to ${max}`),
  textBetween: (min: number, max: number): Text =>
    words(`متنی از ${min} تا ${max} کاراکتر`, `text of ${min} to ${max} characters`),
  plainTextBetween: (min: number, max: number): Text =>
    words(`متنی از ${min} تا ${max} کاراکتر چاپی لاتین`, `${min} to ${max} printable ASCII characters`),
  atLeastLong: (length: number): Text => words(`حداقل ${length} مورد یا کاراکتر`, `of length ${length} or more`),
  shapedAs: (pattern: string): Text => words(`به شکل «${pattern}»`, `of the form ${pattern}`),
  either: (...choices: Text[]): Text =>
    words(choices.map(({ fa }) => fa).join(' یا '), choices.map(({ en }) => en).join(' or ')),
} as const;
