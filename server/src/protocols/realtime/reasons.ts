/** Why an event of a realtime session is refused, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const realtimeReasons = {
  noEvent: { fa: 'هر پیام باید یک شیء JSON باشد.', en: 'A message must be a JSON object.' },
  modelFixed: {
    fa: 'مدل با اتصال تعیین شده است و عوض نمی‌شود.',
    en: 'The model was chosen with the connection and does not change.',
  },
  notServed: { fa: 'این فیلد در مکالمهٔ زنده پشتیبانی نمی‌شود.', en: 'This field is not served in realtime sessions.' },
  onlyFunctions: {
    fa: 'در مکالمهٔ زنده فقط ابزارهای «function» پذیرفته است.',
    en: 'Only tools of the type function are served in realtime sessions.',
  },
  noTranscription: {
    fa: 'نوشتن حرف‌های کاربر مدل دیگری می‌خواهد که اینجا قیمت ندارد؛ آن را «null» بگذارید یا جدا از «/audio/transcriptions» بخواهید.',
    en: 'Transcripts of the user are made by another model, which has no price here; set it to null, or ask /audio/transcriptions.',
  },
  noIdleAnswers: {
    fa: 'پاسخی که سرویس‌دهنده پس از سکوت خودش شروع می‌کند پیشاپیش پرداختنی نیست؛ این فیلد را «null» بگذارید و با «response.create» بپرسید.',
    en: 'An answer that the provider begins by itself after a silence cannot be paid for beforehand; set it to null, and ask with response.create.',
  },
} satisfies Record<string, Text>;
