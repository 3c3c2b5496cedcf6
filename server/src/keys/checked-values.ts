/** Checks on what people give: ids, names and key texts. */

import { GatewayError, invalidRequest } from '../core/errors.ts';
import { isUniqueViolation } from '../platform/db/index.ts';
import { isPlausibleKeyText } from './key-text.ts';
import { keyReasons } from './reasons.ts';

/** Ids stand in URLs, log lines and counters' names. */
export function checkId(id: string, param = 'id'): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(id)) return id;
  throw invalidRequest(param, keyReasons.wrongId);
}

export function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length > 0 && trimmed.length <= 200) return trimmed;
  throw invalidRequest('name', keyReasons.wrongName);
}

export function checkKeyText(text: string, param: string): string {
  if (isPlausibleKeyText(text)) return text;
  throw invalidRequest(param, keyReasons.wrongKeyText);
}

export function refuseTakenText(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new GatewayError('conflict', {
    cause: error,
    reason: keyReasons.keyTextInUse,
  });
}

const PERSIAN = {
  key: 'کلیدی',
  budget: 'بودجه‌ای',
  account: 'حسابی',
  order: 'سفارشی',
  gateway: 'درگاهی',
  export: 'خروجی',
  'gift code': 'کد هدیه‌ای',
  approval: 'درخواست تأییدی',
  'book document': 'سندی',
  settlement: 'تسویه‌ای',
  'provider bill': 'صورت‌حسابی',
  month: 'ماهی',
  invoice: 'صورت‌حسابی',
  'alert rule': 'هشداری',
  'alert target': 'گیرنده‌ای',
  delivery: 'ارسالی',
  note: 'یادداشتی',
  'saved view': 'نمای ذخیره‌شده',
  ticket: 'تیکتی',
  attachment: 'پیوستی',
  announcement: 'اطلاعیه‌ای',
  incident: 'رخدادی',
  outage: 'قطعی‌ای',
} as const;

export function noSuch(what: keyof typeof PERSIAN, id: string): never {
  throw new GatewayError('not_found', {
    reason: keyReasons.noSuch(PERSIAN[what], id, what),
  });
}

export function refuseKeyOfFile(): never {
  throw new GatewayError('conflict', {
    reason: keyReasons.definedInFile,
  });
}

export function refuseCursor(): never {
  throw invalidRequest('after', keyReasons.wrongCursor);
}
