/** A moment in a sentence for people, in the zone of the service; Jalali in Persian. */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { Text } from '@dargah/core/text.ts';

const FORM = {
  timeZone: HOME_ZONE,
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
} as const;

/** Formatters are slow to make, so they are made with the first refusal that needs them. */
let formats: { fa: Intl.DateTimeFormat; en: Intl.DateTimeFormat } | undefined;

export function toldTime(ms: number): Text {
  formats ??= {
    fa: new Intl.DateTimeFormat('fa-IR-u-ca-persian', FORM),
    en: new Intl.DateTimeFormat('en-GB', { ...FORM, timeZoneName: 'short' }),
  };
  return { fa: `${formats.fa.format(ms)} به وقت تهران`, en: formats.en.format(ms) };
}
