/**
 * Untrusted Markdown (from a model) as harmless HTML. Everything that could run, load or send is removed: only text,
 * lists, tables, code and https links remain; pictures become their description. Loaded with the first answer.
 */
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { highlight } from 'sugar-high';

const TAGS = [
  'p',
  'br',
  'hr',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'strong',
  'em',
  'del',
  'code',
  'pre',
  'blockquote',
  'ul',
  'ol',
  'li',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'a',
  'span',
];

/** `[1]`, `[1, 3]` and the digits of Persian and Arabic keyboards, as the gateway finds them; a link begins alike. */
const CITED = /^\[\s?([0-9۰-۹٠-٩]{1,3}(?:\s?[,،;]\s?[0-9۰-۹٠-٩]{1,3}){0,20})\s?\](?![(:[])/;
const NUMBER = /[0-9۰-۹٠-٩]{1,3}/g;
/** Made by the extension below and by nothing else: markup in an answer is text. */
const MARK = /<span class="cited-number">([0-9۰-۹٠-٩]{1,3})<\/span>/g;

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [
    {
      name: 'cited',
      level: 'inline',
      start: (source) => source.indexOf('['),
      tokenizer(source) {
        const [raw] = CITED.exec(source) ?? [];
        return raw === undefined ? undefined : { type: 'cited', raw };
      },
      renderer: ({ raw }) => raw.replace(NUMBER, '<span class="cited-number">$&</span>'),
    },
  ],
  renderer: {
    // Raw HTML in an answer is text, not markup.
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => escaped(text === '' ? href : text),
    code: ({ text, lang }) =>
      `<pre class="code" dir="ltr"><code>${lang === 'text' ? escaped(text) : coloured(text)}</code></pre>`,
  },
});

const purifier = DOMPurify(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') {
    if (/^(P|H\d|TD|TH)$/.test(node.tagName)) node.setAttribute('dir', 'auto');
    // List marks, table columns and the line of a quotation follow the direction of their text.
    else if (/^(OL|UL|TABLE|BLOCKQUOTE)$/.test(node.tagName))
      node.setAttribute('dir', directionOf(node.textContent ?? ''));
    return;
  }
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer nofollow');
});

/**
 * The direction of the first letter that has one. The browser's own `auto` ignores parts that have a direction
 * themselves.
 */
export function directionOf(text: string): 'rtl' | 'ltr' {
  const first = /\p{L}/u.exec(text)?.[0] ?? 'a';
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(first) ? 'rtl' : 'ltr';
}

/** `addressOf` leads from the number of a citation to the citation, where there is one. */
export function renderMarkdown(text: string, addressOf: (number: number) => string | undefined): string {
  const pure = purifier.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'class', 'dir', 'start'],
    ALLOWED_URI_REGEXP: /^(https:|mailto:)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
  return pure.replace(MARK, (_mark, digits: string) => {
    const address = addressOf(numberOf(digits));
    return address === undefined ? digits : `<a class="link cited" href="${escaped(address)}">${digits}</a>`;
  });
}

function numberOf(digits: string): number {
  return Number(digits.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf)));
}

/**
 * Colours come from classes, because the content policy forbids inline styles; the code itself is already escaped here.
 */
function coloured(code: string): string {
  return highlight(code).replace(/ style="color:var\(--sh-[a-z]+\)"/g, '');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
