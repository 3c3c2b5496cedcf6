/**
 * Persian texts are Persian: words of the wire (fields, values, addresses) stand in «», a few names and abbreviations that
 * Persian has taken over stand bare, and no other Latin word stands in a sentence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@dargah/core/error-registry.ts';
import { parseSync } from '@swc/core';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { mistakes } from '../../src/catalog/reading/mistakes.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { expected } from '../../src/core/expected.ts';
import { reasons } from '../../src/core/reasons.ts';
import { compileCheck } from '../../src/http/routes/check-schema.ts';
import {
  anthropicMessagesClient,
  decodeEmbeddingRequest,
  decodeSpeechRequest,
  openaiChatClient,
  openaiResponsesClient,
} from '../../src/protocols/index.ts';

const SOURCE = join(import.meta.dirname, '../../src');
const PERSIAN = /[\u0600-\u06ff]/;
/** Names of products and protocols, and abbreviations that Persian texts use as they are. */
const TAKEN_OVER = new Set(
  (
    'API IP CIDR JSON PDF PEM HTTP WebSocket SDK UTF http https base OpenAPI OpenAI Anthropic Responses Conversations ' +
    'Groq vLLM GLM Dargah SMS SMTP CSV TOTP URL PNG JPEG WebP IR'
  ).split(' '),
);
/** Lines to copy into a terminal or a program. */
const SAMPLE = /curl |^from openai import|"role":/;

/** The Latin words of a Persian text that stand outside of quotation marks, tags and placeholders. */
function strangers(text: string): string[] {
  const bare = text
    .replace(/«[^»]*»/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&[a-z]+;/g, ' ');
  return (bare.match(/[A-Za-z]+/g) ?? []).filter((word) => !TAKEN_OVER.has(word));
}

interface Node {
  type?: string;
  value?: unknown;
  quasis?: { cooked: string | null; raw: string }[];
}

function persianTextsOf(code: string): string[] {
  const found: string[] = [];
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    const { type, value, quasis } = node as Node;
    const text =
      type === 'StringLiteral'
        ? String(value)
        : type === 'TemplateLiteral'
          ? quasis?.map(({ cooked, raw }) => cooked ?? raw).join('{}')
          : undefined;
    if (text !== undefined && PERSIAN.test(text)) found.push(text);
    for (const inner of Object.values(node)) Array.isArray(inner) ? inner.forEach(walk) : walk(inner);
  };
  walk(parseSync(code, { syntax: 'typescript', target: 'es2022' }));
  return found;
}

describe('every Persian text of the source', () => {
  const texts = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => persianTextsOf(readFileSync(join(SOURCE, name), 'utf8')).map((text) => ({ name, text })));

  it('is found', () => {
    expect(texts.length).toBeGreaterThan(800);
    expect(strangers('این field درست نیست؛ «field» را ببینید.')).toEqual(['field']);
  });

  it('holds no English word', () => {
    const wrong = texts
      .filter(({ text }) => !SAMPLE.test(text))
      .map(({ name, text }) => ({ name, text, strangers: strangers(text) }));
    expect(wrong.filter((one) => one.strangers.length > 0)).toEqual([]);
  });

  it('is written with Persian letters and signs', () => {
    const wrong = texts.filter(
      ({ name, text }) => !name.startsWith('knowledge') && /[يك]|[\u0600-\u06ff]\?/.test(text),
    );
    expect(wrong).toEqual([]);
  });
});

describe('what is put into a Persian sentence', () => {
  const SENTINEL = 'wire_word';
  const persianOf = (made: unknown): string[] => {
    if (typeof made === 'object' && made !== null && 'fa' in made) return [String(made.fa)];
    return [];
  };
  const callAll = (table: Record<string, unknown>, ...given: unknown[]) =>
    Object.values(table).flatMap((entry) =>
      typeof entry === 'function' ? persianOf((entry as (...all: unknown[]) => unknown)(...given)) : persianOf(entry),
    );
  const words = { fa: 'متن', en: 'text' };

  it('stands in quotation marks', () => {
    const { ofField, mustBe, notSupportedByModel, oneOf, tooLong, notKnownAmong, ...named } = reasons;
    const sentences = [
      ...callAll(named, SENTINEL, SENTINEL),
      ...persianOf(ofField(SENTINEL, words)),
      ...persianOf(mustBe(SENTINEL, words)),
      ...persianOf(notSupportedByModel(words, SENTINEL)),
      ...persianOf(oneOf(SENTINEL, [SENTINEL, SENTINEL])),
      ...persianOf(tooLong(SENTINEL, 5)),
      ...persianOf(notKnownAmong(SENTINEL, [SENTINEL])),
      ...persianOf(expected.exactly(SENTINEL)),
      ...persianOf(expected.shapedAs(SENTINEL)),
      ...persianOf(mistakes.choice([SENTINEL], SENTINEL)),
      ...persianOf(mistakes.unknownField(SENTINEL, [SENTINEL])),
      ...persianOf(mistakes.noSuch('provider', SENTINEL, [SENTINEL])),
      ...persianOf(mistakes.notInGroup(SENTINEL, [SENTINEL])),
      ...persianOf(mistakes.idTwice('model', SENTINEL, SENTINEL)),
      ...persianOf(mistakes.beside(SENTINEL)),
      ...persianOf(mistakes.unreadable(SENTINEL)),
      ...persianOf(mistakes.notText(5)),
    ];
    expect(sentences.length).toBeGreaterThan(20);
    expect(sentences.filter((text) => strangers(text).length > 0)).toEqual([]);
  });

  it('and every error has both languages', () => {
    for (const { text } of Object.values(ERRORS)) {
      expect(text.fa).toMatch(PERSIAN);
      expect(text.en).not.toMatch(PERSIAN);
    }
  });
});

/** The refusal's text, or undefined when it was taken. */
function refusalOf(decode: () => unknown): string | undefined {
  try {
    decode();
  } catch (error) {
    if (error instanceof GatewayError) return error.options.verbatim === undefined ? error.text('fa') : undefined;
    throw error;
  }
  return undefined;
}

const WRONG = [null, 'text', 5, -1, 1.5, true, [], {}, [{}], [5], { type: 'nothing' }, 'x'.repeat(70_000)];

describe('what is said of a wrong field', () => {
  it.each([
    ['chat', openaiChatClient.decodeRequest, { model: 'a/b', messages: [{ role: 'user', content: 'x' }] }],
    [
      'messages',
      anthropicMessagesClient.decodeRequest,
      { model: 'a/b', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
    ],
    ['responses', openaiResponsesClient.decodeRequest, { model: 'a/b', input: 'x' }],
    ['embeddings', decodeEmbeddingRequest, { model: 'a/b', input: 'x' }],
    ['speech', decodeSpeechRequest, { model: 'a/b', input: 'x', voice: 'v' }],
  ] as const)('of %s is Persian', (_name, decode, good) => {
    const fields =
      'model messages input max_tokens temperature top_p n stop stream tools tool_choice response_format svc metadata system ' +
      'thinking voice encoding_format dimensions previous_response_id reasoning text instructions include';
    const said = fields
      .split(' ')
      .flatMap((field) =>
        WRONG.map((value) =>
          refusalOf(() => (decode as (body: object) => unknown)({ ...good, [field]: value })),
        ).filter((text) => text !== undefined),
      );
    expect(said.length).toBeGreaterThan(10);
    expect([...new Set(said)].filter((text) => strangers(text).length > 0)).toEqual([]);
  });

  it('of a route of people and staff is Persian', () => {
    const gate = compileCheck(
      Type.Object(
        {
          name: Type.String({ minLength: 2, maxLength: 5, pattern: '^[a-z]+$' }),
          count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
          part: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
          kind: Type.Optional(Type.Union([Type.Literal('one'), Type.Literal('two')])),
          either: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          list: Type.Optional(Type.Array(Type.Boolean(), { minItems: 1, maxItems: 2 })),
        },
        { additionalProperties: false },
      ),
    );
    const said = ['name', 'count', 'part', 'kind', 'either', 'list', 'other'].flatMap((field) =>
      [...WRONG, 0, 99, 'abcdefgh', 'A', [true, true, true]]
        .map((value) => refusalOf(() => gate({ name: 'abc', [field]: value })))
        .filter((text) => text !== undefined),
    );
    expect(said.length).toBeGreaterThan(40);
    expect([...new Set(said)].filter((text) => strangers(text).length > 0)).toEqual([]);
  });
});
