/** Why a document failed, for the person who sent it; or that another try is worthwhile. */

import type { Text } from '@dargah/core/text.ts';
import { GatewayError } from '../../core/errors.ts';
import { SafeFetchError } from '../../platform/upstream/index.ts';
import { Unreadable } from '../reading/blocks.ts';

/** Undefined when the document is not at fault and should be tried again later. */
export function lastingReason(error: unknown): Text | undefined {
  if (error instanceof Unreadable) return error.reason;
  if (error instanceof SafeFetchError) return FETCH_REASONS[error.reason];
  if (error instanceof GatewayError && !error.shouldRetry) return { fa: error.text('fa'), en: error.text('en') };
  return undefined;
}

const unreachable: Text = {
  fa: 'این آدرس در دسترس نیست یا پاسخ نداد.',
  en: 'The address cannot be reached or did not answer.',
};

const FETCH_REASONS: Partial<Record<SafeFetchError['reason'], Text>> = {
  'bad-url': { fa: 'این آدرس درست نیست.', en: 'The address is not valid.' },
  scheme: { fa: 'فقط آدرس‌های https خوانده می‌شوند.', en: 'Only https addresses are read.' },
  'forbidden-address': {
    fa: 'این آدرس به اینترنت عمومی نمی‌رسد.',
    en: 'The address does not lead to the public internet.',
  },
  'too-many-redirects': { fa: 'این آدرس بارها به جای دیگر می‌فرستد.', en: 'The address redirects too often.' },
  status: { fa: 'سرور این آدرس، سند را نداد.', en: 'The server of this address did not give the document.' },
  'too-large': {
    fa: 'سند این آدرس از اندازهٔ مجاز بزرگ‌تر است.',
    en: 'The document at this address is larger than allowed.',
  },
  type: { fa: 'قالب سند این آدرس پذیرفته نیست.', en: 'The format of the document at this address is not accepted.' },
  dns: unreachable,
};

/** The reason after the last try. */
export function givenUpReason(error: unknown): Text {
  if (error instanceof SafeFetchError) return unreachable;
  if (error instanceof GatewayError) return { fa: error.text('fa'), en: error.text('en') };
  return {
    fa: 'خواندن این سند چند بار ناتمام ماند. دوباره بفرستید یا آن را به چند سند کوچک‌تر تقسیم کنید.',
    en: 'Reading this document was broken off several times. Send it again or split it into several documents.',
  };
}
