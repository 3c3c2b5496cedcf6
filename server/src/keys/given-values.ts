/** Checks on what people give: ids, names and key texts. */
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { isUniqueViolation } from '../platform/db/index.ts';
import { isPlausibleKeyText } from './key-text.ts';

/** Ids stand in URLs, log lines and counters' names. */
export function checkId(id: string, param = 'id'): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(id)) return id;
  throw invalidRequest(
    param,
    reasons.custom(
      'شناسه باید ۱ تا ۶۴ حرف لاتین، رقم، نقطه، خط تیره یا زیرخط باشد.',
      'An id is 1 to 64 letters, digits or . _ -',
    ),
  );
}

export function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length > 0 && trimmed.length <= 200) return trimmed;
  throw invalidRequest('name', reasons.custom('نام باید ۱ تا ۲۰۰ نویسه باشد.', 'A name must be 1 to 200 characters.'));
}

export function checkKeyText(text: string, param: string): string {
  if (isPlausibleKeyText(text)) return text;
  throw invalidRequest(
    param,
    reasons.custom(
      'متن کلید باید ۸ تا ۲۰۰ نویسهٔ لاتین بی‌فاصله باشد، و اگر شکل کلید ساخته‌شده را دارد سرجمعش درست باشد.',
      'A key must be 8 to 200 visible ASCII characters, and one in the form of a generated key must have its checksum.',
    ),
  );
}

export function refuseTakenText(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new GatewayError('conflict', {
    cause: error,
    reason: reasons.custom('این متن کلید پیش‌تر به کار رفته است.', 'This key text is already in use.'),
  });
}

const PERSIAN = {
  key: 'کلیدی',
  account: 'حسابی',
  order: 'سفارشی',
  gateway: 'درگاهی',
  'gift code': 'کد هدیه‌ای',
  invoice: 'صورت‌حسابی',
  'alert rule': 'هشداری',
  'alert target': 'گیرنده‌ای',
  delivery: 'ارسالی',
  ticket: 'تیکتی',
  attachment: 'پیوستی',
  announcement: 'اعلانی',
  incident: 'رخدادی',
} as const;

export function noSuch(what: keyof typeof PERSIAN, id: string): never {
  throw new GatewayError('not_found', {
    reason: reasons.custom(`${PERSIAN[what]} با شناسهٔ ${id} نیست.`, `There is no ${what} '${id}'.`),
  });
}

export function refuseConfigManaged(): never {
  throw new GatewayError('conflict', {
    reason: reasons.custom('این مورد در فایل پیکربندی تعریف شده است.', 'This is defined in the configuration file.'),
  });
}

export function refuseCursor(): never {
  throw invalidRequest('after', reasons.custom('نشانگر صفحه نامعتبر است.', 'The page cursor is not valid.'));
}
