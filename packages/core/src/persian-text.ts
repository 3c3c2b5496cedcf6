/** Digits and letters of Persian and Arabic keyboards. Pure, without imports: the web uses it too. */

/** Persian and Arabic digits as `0` to `9`; everything else stays. */
export function latinDigits(text: string): string {
  return text.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** Digits of every script as `0` to `9`, full-width and other forms of letters and signs as their plain ones. */
export function plainDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)));
}

/** Unicode keeps the digits of a script together, from zero to nine; scripts that stand side by side are whole tens. */
function digitValue(codePoint: number): number {
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return before % 10;
}

export function persianDigits(text: string): string {
  return text.replace(/\d/g, (digit) => String.fromCharCode(0x06f0 + Number(digit)));
}

/** One form of a text for searching: letter case, half-spaces and the Arabic forms of ی and ک make no difference. */
export function searchForm(text: string): string {
  return text
    .toLowerCase()
    .replace(/\u200c/g, ' ')
    .replace(/ي/g, 'ی')
    .replace(/ك/g, 'ک');
}
