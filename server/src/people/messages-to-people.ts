/** The words of messages to people. */
import type { Language } from '../core/errors.ts';
import type { Message } from '../messages/index.ts';
import { CODE_LIFE_MS } from './codes.ts';
import type { Contact } from './contacts.ts';

const MINUTES = CODE_LIFE_MS / 60_000;

/** The last line of an SMS lets the browser of this very site offer the code (WebOTP), and no other's. */
export function codeMessage({ kind, value }: Contact, code: string, language: Language, host: string): Message {
  const words =
    language === 'fa'
      ? {
          subject: 'کد ورود به درگاه',
          text: `کد ورود شما به درگاه: ${code}\nتا ${MINUTES.toLocaleString('fa-IR')} دقیقه معتبر است. آن را به هیچ‌کس نگویید.`,
        }
      : {
          subject: 'Your Dargah code',
          text: `Your Dargah code: ${code}\nValid for ${MINUTES} minutes. Tell it to nobody.`,
        };
  const binding = kind === 'mobile' ? `\n@${host} #${code}` : '';
  return {
    channel: kind === 'mobile' ? 'sms' : 'email',
    to: value,
    kind: 'code',
    code,
    language,
    subject: words.subject,
    text: words.text + binding,
  };
}

export function invitationMessage(
  { kind, value }: Contact,
  { accountName, invitedBy, link }: { accountName: string; invitedBy: string; link: string },
  language: Language,
): Message {
  const words =
    language === 'fa'
      ? {
          subject: `دعوت به «${accountName}» در درگاه`,
          text: `${invitedBy} شما را به حساب «${accountName}» در درگاه دعوت کرده است:\n${link}`,
        }
      : {
          subject: `Invitation to “${accountName}” on Dargah`,
          text: `${invitedBy} invites you to the account “${accountName}” on Dargah:\n${link}`,
        };
  return { channel: kind === 'mobile' ? 'sms' : 'email', to: value, kind: 'invitation', language, ...words };
}
