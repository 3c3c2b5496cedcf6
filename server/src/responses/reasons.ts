/** Why something is refused, in both languages: stored conversations. */
import type { Text } from '../core/text.ts';

export const conversationReasons = {
  conversationsNotKept: { fa: 'گفت‌وگوها اینجا نگه داشته نمی‌شوند.', en: 'Conversations are not kept here.' },
  conversationFull: {
    fa: 'این گفت‌وگو جای بیشتری ندارد؛ گفت‌وگوی تازه‌ای آغاز کنید.',
    en: 'This conversation has no room for more; begin a new one.',
  },
  accountFull: {
    fa: 'گفت‌وگوهای این حساب جای بیشتری ندارند؛ برخی را پاک کنید.',
    en: 'The conversations of this account have no room for more; delete some.',
  },
} as const satisfies Record<string, Text>;
