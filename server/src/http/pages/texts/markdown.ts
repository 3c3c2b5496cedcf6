/** Renders Markdown as markup. HTML in the text is shown as text; links lead to our own pages or to https. */

import type { Language, Text } from '@dargah/core/text.ts';
import { lexer, type Token, type Tokens } from 'marked';
import { html, Markup } from '../markup.ts';
import { codeBlock } from '../samples.ts';
import { addressOf } from '../visit.ts';

export interface Heading {
  id: string;
  depth: number;
  text: string;
}

export interface MarkdownTerms {
  language: Language;
  /** The id of the n-th heading. */
  anchor(at: number): string;
}

const COPY: Text = { fa: 'کپی نمونه', en: 'Copy the sample' };
const TABLE: Text = { fa: 'جدول', en: 'Table' };

export function headingsOf(text: string): { depth: number; text: string }[] {
  return lexer(text).flatMap((token) => (isKind(token, 'heading') ? [{ depth: token.depth, text: token.text }] : []));
}

/** Cuts a text at its headings, each with the plain text below it. What stands before the first is left out. */
export function partsOfText(text: string): { title: string; text: string }[] {
  const parts: { title: string; texts: string[] }[] = [];
  for (const token of lexer(text)) {
    if (isKind(token, 'heading')) parts.push({ title: plainText([token]), texts: [] });
    else parts.at(-1)?.texts.push(plainText([token]));
  }
  return parts.map(({ title, texts }) => ({
    title,
    text: texts
      .join(' ')
      .replace(/\s{1,100}/g, ' ')
      .trim(),
  }));
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      if (isKind(token, 'list')) return token.items.map(({ tokens: inner }) => plainText(inner)).join(' ');
      if (isKind(token, 'table'))
        return [token.header, ...token.rows]
          .map((row) => row.map(({ tokens: cell }) => plainText(cell)).join(' '))
          .join(' ');
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token ? String(token['text']) : ' ';
    })
    .join('');
}

export function markdown(text: string, terms: MarkdownTerms): Markup {
  let headings = 0;
  const block = (token: Token): Markup | undefined => {
    if (isKind(token, 'heading')) {
      const id = terms.anchor(headings++);
      const level = Math.min(token.depth, 4);
      return new Markup(`<h${level} id="${html`${id}`.text}">${inline(token.tokens, terms).text}</h${level}>`);
    }
    if (isKind(token, 'paragraph')) return html`<p>${inline(token.tokens, terms)}</p>`;
    if (isKind(token, 'code')) return codeBlock(token.text, COPY[terms.language]);
    if (isKind(token, 'list')) return list(token, block);
    if (isKind(token, 'table')) return table(token, terms);
    if (isKind(token, 'blockquote')) return html`<blockquote>${token.tokens.map(block)}</blockquote>`;
    if (isKind(token, 'text')) return token.tokens ? inline(token.tokens, terms) : html`${token.text}`;
    return token.type === 'space' ? undefined : html`${token.raw}`;
  };
  return html`${lexer(text).map(block)}`;
}

function isKind<Kind extends keyof Kinds>(token: Token, kind: Kind): token is Kinds[Kind] {
  return token.type === kind;
}

interface Kinds {
  heading: Tokens.Heading;
  paragraph: Tokens.Paragraph;
  code: Tokens.Code;
  list: Tokens.List;
  table: Tokens.Table;
  blockquote: Tokens.Blockquote;
  text: Tokens.Text;
  codespan: Tokens.Codespan;
  strong: Tokens.Strong;
  em: Tokens.Em;
  link: Tokens.Link;
  escape: Tokens.Escape;
}

function list(token: Tokens.List, block: (token: Token) => Markup | undefined): Markup {
  const items = token.items.map(({ tokens }) => html`<li>${tokens.map(block)}</li>`);
  if (!token.ordered) return html`<ul>${items}</ul>`;
  return html`<ol${token.start === 1 || token.start === '' ? undefined : html` start="${token.start}"`}>${items}</ol>`;
}

function table({ header, rows }: Tokens.Table, terms: MarkdownTerms): Markup {
  const cell = ({ tokens }: Tokens.TableCell) => html`<td>${inline(tokens, terms)}</td>`;
  return html`<div class="panel sideways" role="group" tabindex="0" aria-label="${TABLE[terms.language]}"><table class="table"><thead><tr>${header.map(({ tokens }) => html`<th scope="col">${inline(tokens, terms)}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody></table></div>`;
}

function inline(tokens: readonly Token[], terms: MarkdownTerms): Markup {
  return html`${tokens.map((token) => word(token, terms))}`;
}

function word(token: Token, terms: MarkdownTerms): Markup {
  if (isKind(token, 'codespan')) return html`<code>${token.text}</code>`;
  if (isKind(token, 'strong')) return html`<strong>${inline(token.tokens, terms)}</strong>`;
  if (isKind(token, 'em')) return html`<em>${inline(token.tokens, terms)}</em>`;
  if (isKind(token, 'link')) {
    const target = safeTarget(token.href, terms.language);
    const text = inline(token.tokens, terms);
    return target === undefined ? text : html`<a href="${target}">${text}</a>`;
  }
  if (isKind(token, 'text') && token.tokens) return inline(token.tokens, terms);
  if (isKind(token, 'text') || isKind(token, 'escape')) return html`${token.text}`;
  return html`${token.raw}`;
}

/** Pages of ours in the reader's language; the console has one address. Anything that is neither ours nor https is no link. */
function safeTarget(href: string, language: Language): string | undefined {
  if (href.startsWith('#')) return href;
  if (href.startsWith('/') && !href.startsWith('//')) {
    const [path = '/', anchor] = href.split('#', 2);
    const own = path.startsWith('/console') ? path : addressOf(language, path);
    return anchor === undefined ? own : `${own}#${anchor}`;
  }
  return /^https:\/\/[\w.-]{1,253}(\/|$)/.test(href) ? href : undefined;
}
