/** The sender of e-mail and SMS, as far as notices need it. */
import type { Language } from '@dargah/core/text.ts';

export interface MessageSender {
  can(channel: 'email' | 'sms'): boolean;
  /** Resolves when a carrier has accepted the message, rejects when none did. */
  deliver(message: {
    channel: 'email' | 'sms';
    to: string;
    kind: string;
    subject: string;
    text: string;
    language: Language;
  }): Promise<void>;
}
