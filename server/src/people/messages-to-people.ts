/** The texts of messages to people. */

import type { Language, Text } from '@dargah/core/text.ts';
import { plainName } from '../core/plain-name.ts';
import type { OutgoingMessage } from '../messages/index.ts';
import type { CodePurpose } from './code-rows.ts';
import { CODE_LIFETIME_MS } from './codes.ts';
import type { Contact } from './contacts.ts';

const MINUTES = CODE_LIFETIME_MS / 60_000;

const CODE_NAMES: Record<CodePurpose, Text> = {
  'sign-in': { fa: 'کد ورود شما به', en: 'code' },
  'add-method': { fa: 'کد تأیید شما در', en: 'code' },
  proof: { fa: 'کد شما برای تغییر روش‌های ورود در', en: 'code to change how you sign in' },
};

/** The last line of an SMS lets the browser offer the code on this very site (WebOTP), and on no other. */
export function codeMessage(
  { kind, value }: Contact,
  code: string,
  { language, host, brand, purpose }: { language: Language; host: string; brand: Text; purpose: CodePurpose },
): OutgoingMessage {
  const name = CODE_NAMES[purpose];
  const message =
    language === 'fa'
      ? {
          subject: `${name.fa} ${brand.fa}`,
          text: `${name.fa} ${brand.fa}: ${code}\nتا ${MINUTES.toLocaleString('fa-IR')} دقیقه معتبر است. آن را به هیچ‌کس نگویید.`,
        }
      : {
          subject: `Your ${brand.en} ${name.en}`,
          text: `Your ${brand.en} ${name.en}: ${code}\nValid for ${MINUTES} minutes. Tell it to nobody.`,
        };
  const binding = kind === 'mobile' ? `\n@${host} #${code}` : '';
  return {
    channel: kind === 'mobile' ? 'sms' : 'email',
    to: value,
    kind: 'code',
    code,
    language,
    subject: message.subject,
    text: message.text + binding,
  };
}

/** A message that shows whether messages arrive. */
export function trialMessage({ kind, value }: Contact, language: Language, brand: Text): OutgoingMessage {
  const message =
    language === 'fa'
      ? { subject: `پیام آزمایشی ${brand.fa}`, text: `این پیام آزمایشی ${brand.fa} است؛ پیام‌رسان کار می‌کند.` }
      : { subject: `Test message of ${brand.en}`, text: `This is a test message of ${brand.en}; messages arrive.` };
  return { channel: kind === 'mobile' ? 'sms' : 'email', to: value, kind: 'test', language, ...message };
}

/** Changes of how a person signs in, or that let programs act for them. */
export type WayInChange = keyof typeof WAY_IN_CHANGES;

const WAY_IN_CHANGES = {
  'contact-added': { fa: 'یک شماره یا ایمیل به روش‌های ورود شما اضافه شد', en: 'A number or address was added' },
  'contact-removed': { fa: 'یک شماره یا ایمیل از روش‌های ورود شما حذف شد', en: 'A number or address was removed' },
  'passkey-added': { fa: 'یک کلید عبور برای شما اضافه شد', en: 'A passkey was added' },
  'passkey-removed': { fa: 'یک کلید عبور شما حذف شد', en: 'A passkey was removed' },
  'second-factor-on': { fa: 'ورود دومرحله‌ای شما روشن شد', en: 'The second factor was switched on' },
  'second-factor-off': { fa: 'ورود دومرحله‌ای شما خاموش شد', en: 'The second factor was switched off' },
  'password-changed': { fa: 'رمز عبور شما تغییر کرد', en: 'The password was changed' },
  'management-key-made': { fa: 'با نشست شما یک کلید مدیریت ساخته شد', en: 'A management key was made' },
} as const satisfies Record<string, Text>;

/** Goes to everything that belonged to the person before the change, because somebody else may have made it. */
export function changedWayInMessage(
  { kind, value }: Contact,
  change: WayInChange,
  { language, brand, link }: { language: Language; brand: Text; link: string },
): OutgoingMessage {
  const what = WAY_IN_CHANGES[change][language];
  const message =
    language === 'fa'
      ? {
          subject: `${brand.fa}: ${what}`,
          text: `${brand.fa}: ${what}. اگر کار شما نبود، همهٔ نشست‌ها را از اینجا پایان دهید:\n${link}`,
        }
      : {
          subject: `${brand.en}: ${what}`,
          text: `${brand.en}: ${what}. If it was not you, end all sessions here:\n${link}`,
        };
  return { channel: kind === 'mobile' ? 'sms' : 'email', to: value, kind: 'security', language, ...message };
}

/** Names may be written by strangers, so only their letters are kept. */
export function invitationMessage(
  { kind, value }: Contact,
  input: { accountName: string; invitedBy: string; link: string; brand: Text },
  language: Language,
): OutgoingMessage {
  const { link, brand } = input;
  const accountName = plainName(input.accountName) || (language === 'fa' ? 'بدون نام' : 'no name');
  const invitedBy = plainName(input.invitedBy) || (language === 'fa' ? 'یکی از اعضا' : 'A member');
  const message =
    language === 'fa'
      ? {
          subject: `دعوت به «${accountName}» در ${brand.fa}`,
          text: `${invitedBy} شما را به حساب «${accountName}» در ${brand.fa} دعوت کرده است:\n${link}`,
        }
      : {
          subject: `Invitation to “${accountName}” on ${brand.en}`,
          text: `${invitedBy} invites you to the account “${accountName}” on ${brand.en}:\n${link}`,
        };
  return { channel: kind === 'mobile' ? 'sms' : 'email', to: value, kind: 'invitation', language, ...message };
}
