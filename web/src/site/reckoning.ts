/** What a month of messages costs, reckoned while one types: in whole micro-toman, as the server does it. */
import { latinDigits } from '@dargah/core/persian-text.ts';

export function reckoning(): void {
  const form = document.querySelector<HTMLFormElement>('[data-work]');
  if (!form) return;
  const rate = (name: string) => BigInt(form.dataset[name] ?? '0');
  const prices = { input: rate('input'), output: rate('output'), request: rate('request') };
  const total = document.querySelector<HTMLElement>('[data-work-total] .amt');
  const each = document.querySelector<HTMLElement>('[data-work-each] .amt');
  const value = (name: string) => wholeOf(form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? '');
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    const [messages, input, output] = [value('n'), value('in'), value('out')];
    if (messages === undefined || input === undefined || output === undefined || !total || !each) return;
    const one = prices.request + input * prices.input + output * prices.output;
    each.textContent = tomanText(one);
    total.textContent = tomanText(one * messages);
  });
}

function wholeOf(text: string): bigint | undefined {
  const plain = latinDigits(text).replace(/[٬،,\s_]/g, '');
  return /^\d{1,8}$/.test(plain) ? BigInt(plain) : undefined;
}

function tomanText(micro: bigint): string {
  const fraction = String(micro % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const text = `${micro / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
  const locale = document.documentElement.lang === 'fa' ? 'fa-IR' : 'en-US';
  // Decimal text is formatted exactly.
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(text as unknown as number);
}
