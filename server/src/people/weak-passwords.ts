/**
 * Passwords that are guessed first: frequent ones, runs of keys, and what everybody knows of their owner. A few digits
 * or signs around a frequent word do not make it rare.
 */

import { plainDigits } from '@dargah/core/persian-text.ts';
import { invalidRequest } from '../core/errors.ts';
import common from './data/common-passwords.gen.json' with { type: 'json' };
import { peopleReasons } from './reasons.ts';

/** A known word with this many characters added is still guessed soon. */
const MAX_ADDED = 4;
const MIN_PART = 4;
const MIN_RUN = 4;
const FEW_CHARACTERS = 3;

/** Frequent in Iran and missing in lists from elsewhere. */
const FREQUENT_HERE =
  'salam tehran persepolis perspolis esteghlal mohammad mohamad hossein hosein alireza mohammadreza amirhossein fatemeh zahra maryam khoda khodaya allah eshgh asheghtam azizam irani iranian parspolis isfahan esfahan shiraz mashhad tabriz dargah gozarvazhe ramz';
const FREQUENT_IN_PERSIAN =
  'سلام تهران ایران پرسپولیس استقلال محمد حسین علی فاطمه زهرا مریم خدایا رمزعبور گذرواژه عاشقتم عزیزم';

/** Keys in a row, and counting sequences. */
const ROWS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'ضصثقفغعهخحجچشسیبلاتنمکگظطزرذدپو',
  'ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی',
].flatMap((row) => [row, [...row].reverse().join('')]);

const LEET: Record<string, string> = { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', $: 's', '5': 's' };

let words: ReadonlySet<string> | undefined;

/** `known`: the name, numbers and addresses of its owner. */
export function refuseWeakPassword(password: string, known: readonly string[]): void {
  const text = folded(password);
  if (isOwn(text, known)) throw invalidRequest('password', peopleReasons.passwordOfOwnNames);
  if (isFrequent(text)) throw invalidRequest('password', peopleReasons.passwordTooCommon);
}

function folded(text: string): string {
  return plainDigits(text)
    .toLowerCase()
    .replace(/[\s\p{Format}]/gu, '')
    .replace(/ي/g, 'ی')
    .replace(/ك/g, 'ک');
}

function isFrequent(text: string): boolean {
  words ??= new Set(`${common} ${FREQUENT_HERE} ${FREQUENT_IN_PERSIAN}`.split(' '));
  if (words.has(text) || new Set(text).size <= FEW_CHARACTERS || isRepeated(text) || isRun(text)) return true;
  const letters = [...text].map((character) => /\p{L}/u.test(character));
  const word = [...text].slice(Math.max(0, letters.indexOf(true)), letters.lastIndexOf(true) + 1).join('');
  const added = text.length - word.length;
  if (added > MAX_ADDED && !isRun(text.replace(word, ''))) return false;
  return words.has(word) || words.has(unleeted(word)) || isRun(word) || isRepeated(word);
}

/** `p@ssw0rd` is as frequent as the word itself. */
function unleeted(word: string): string {
  return word.replace(/[@431!0$5]/g, (sign) => LEET[sign] ?? sign);
}

/** True for one piece that is repeated: `abcabcabcabc`, `salamsalam`. */
function isRepeated(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++)
    if (text.slice(period) === text.slice(0, text.length - period)) return true;
  return false;
}

/** True for a text of a few long pieces of rows: `1234567890`, `qwertyasdfgh`. */
function isRun(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    let length = 0;
    for (const row of ROWS) while (at + length < text.length && row.includes(text.slice(at, at + length + 1))) length++;
    if (length < Math.min(MIN_RUN, text.length)) return false;
    at += length;
  }
  return text.length > 0;
}

/** True when little is left after removing everything known of the owner. */
function isOwn(text: string, known: readonly string[]): boolean {
  const parts = [...new Set(known.flatMap(partsOf))].sort((a, b) => b.length - a.length);
  let rest = lettersAndDigits(text);
  const whole = rest.length;
  for (const part of parts) rest = rest.replaceAll(part, '');
  return rest.length < whole && rest.length <= MAX_ADDED;
}

function partsOf(name: string): string[] {
  const text = plainDigits(name).toLowerCase();
  const [local = '', domain = ''] = text.split('@');
  // Numbers begin with 0 or with the country code; the digits after that are compared.
  const pieces = [
    text,
    local,
    domain,
    ...text.split(/[^\p{L}\p{N}]/u),
    ...[text.replace(/^(?:\+98|0098|98|0)(?=9\d{9}$)/, '')],
  ];
  return pieces.map((piece) => lettersAndDigits(folded(piece))).filter((piece) => piece.length >= MIN_PART);
}

function lettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
