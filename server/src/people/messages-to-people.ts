/** The words of messages to people. */
import { plainName } from '../core/plain-name.ts';
import type { Language, Text } from '../core/text.ts';
import type { OutgoingMessage } from '../messages/index.ts';
import { CODE_LIFE_MS } from './codes.ts';
import type { Contact } from './contacts.ts';

const MINUTES = CODE_LIFE_MS / 60_000;

/** The last line of an SMS lets the browser of this very site offer the code (WebOTP), and no other's. */
export function codeMessage(
  { kind, value }: Contact,
  code: string,
  { language, host, brand }: { language: Language; host: string; brand: Text },
): OutgoingMessage {
  const words =
    language === 'fa'
      ? {
          subject: `کد ورود به ${brand.fa}`,
          text: `کد ورود شما به ${brand.fa}: ${code}\nتا ${MINUTES.toLocaleString('fa-IR')} دقیقه معتبر است. آن را به هیچ‌کس نگویید.`,
        }
      : {
          subject: `Your ${brand.en} code`,
          text: `Your ${brand.en} code: ${code}\nValid for ${MINUTES} minutes. Tell it to nobody.`,
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

/** To see whether messages arrive. */
export function trialMessage({ kind, value }: Contact, language: Language, brand: Text): OutgoingMessage {
  const words =
    language === 'fa'
      ? { subject: `پیام آزمایشی ${brand.fa}`, text: `این پیام آزمایشی ${brand.fa} است؛ پیام‌رسان کار می‌کند.` }
      : { subject: `Test message of ${brand.en}`, text: `This is a test message of ${brand.en}; messages arrive.` };
  return { channel: kind === 'mobile' ? 'sms' : 'email', to: value, kind: 'test', language, ...words };
}

/** Names are what strangers have written: of them only letters stay, or nothing. */
export function invitationMessage(
  { kind, value }: Contact,
  given: { accountName: string; invitedBy: string; link: string; brand: Text },
  language: Language,
): OutgoingMessage {
  const { link, brand } = given;
  const accountName = plainName(given.accountName) || (language === 'fa' ? 'بدون نام' : 'no name');
  const invitedBy = plainName(given.invitedBy) || (language === 'fa' ? 'یکی از اعضا' : 'A member');
  const words =
    language === 'fa'
      ? {
          subject: `دعوت به «${accountName}» در ${brand.fa}`,
          text: `${invitedBy} شما را به حساب «${accountName}» در ${brand.fa} دعوت کرده است:\n${link}`,
        }
      : {
          subject: `Invitation to “${accountName}” on ${brand.en}`,
          text: `${invitedBy} invites you to the account “${accountName}” on ${brand.en}:\n${link}`,
        };
  return { channel: kind === 'mobile' ? 'sms' : 'email', to: value, kind: 'invitation', language, ...words };
}
