/** Why a run of the conformance matrix is not begun. */
import type { Text } from '@dargah/core/text.ts';

export const conformanceReasons = {
  noBudget: {
    fa: 'بودجه‌ای برای آزمون مسیرها تعیین نشده است. «budget» را بفرستید یا در تنظیمات «conformance_budget» را بگذارید.',
    en: "No budget is set for probing routes. Send 'budget', or set conformance_budget in the settings.",
  },
  running: {
    fa: 'یک آزمون در جریان است؛ پس از پایانش دوباره بزنید.',
    en: 'A run is going on. Try again when it has ended.',
  },
  noRoute: {
    fa: 'چنین مسیری نیست، یا مدل چت نیست.',
    en: 'There is no such route, or its model is not one for chats.',
  },
  unknownModel: (model: string): Text => ({
    fa: `مدل «${model}» پیدا نشد.`,
    en: `There is no model '${model}'.`,
  }),
} satisfies Record<string, Text | ((...values: never[]) => Text)>;
