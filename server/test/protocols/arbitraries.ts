/**
 * Arbitrary canonical chats. Every protocol carries a subset of the canonical form; a suite names its subset in the
 * shape, so that a round trip through it may be asked to lose nothing.
 */
import fc from 'fast-check';
import type {
  ChatRequest,
  ChatResponse,
  Choice,
  FinishKind,
  Message,
  OutputKind,
  Part,
  ProtocolId,
  ReasoningPart,
  Sampling,
  Tool,
  ToolCallPart,
  ToolChoice,
} from '../../src/core/chat.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Bucket, Usage } from '../../src/core/usage.ts';

export interface RequestShape {
  images?: boolean;
  audio?: boolean;
  files?: boolean;
  refusals?: boolean;
  developerRole?: boolean;
  /** Participant names on user messages. */
  names?: boolean;
  /** Reasoning in the history; `signed` is the protocol that signed it. */
  reasoning?: { signed?: ProtocolId };
  /** Gemini's signature on tool calls. */
  toolSignatures?: boolean;
  /** Several results in one tool message (Anthropic's habit) instead of one each (OpenAI's). */
  joinedToolResults?: boolean;
  sampling?: readonly (keyof Sampling)[];
  outputs?: readonly OutputKind['kind'][];
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export const identifier = fc
  .tuple(fc.constantFrom(...LETTERS), fc.string({ unit: fc.constantFrom(...`${LETTERS}0123456789_`), maxLength: 12 }))
  .map(([first, rest]) => first + rest);

/** Text of every script, never empty; no lone surrogates, which UTF-8 cannot carry. */
const prose = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });

const base64 = fc.base64String({ minLength: 4, maxLength: 24 });

const jsonSchema: fc.Arbitrary<JsonObject> = fc.uniqueArray(identifier, { maxLength: 3 }).map((names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
}));

const imagePart: fc.Arbitrary<Part> = fc
  .oneof(
    identifier.map((name) => ({ kind: 'url' as const, url: `https://example.com/${name}.png` })),
    base64.map((data) => ({ kind: 'data' as const, mediaType: 'image/png', data })),
  )
  .map((source) => ({ kind: 'image', source }));

const audioPart: fc.Arbitrary<Part> = base64.map((data) => ({ kind: 'audio', format: 'wav', data }));

const filePart: fc.Arbitrary<Part> = fc.tuple(base64, identifier).map(([data, name]) => ({
  kind: 'file',
  source: { kind: 'data', mediaType: 'application/pdf', data },
  mediaType: 'application/pdf',
  name: `${name}.pdf`,
}));

export function reasoningPart(signed?: ProtocolId): fc.Arbitrary<ReasoningPart> {
  if (!signed) return prose.map((text) => ({ kind: 'reasoning', text }));
  return fc.tuple(prose, base64).map(([text, signature]) => ({ kind: 'reasoning', text, signature, origin: signed }));
}

/** Arguments as a model writes them: JSON text of an object. */
const toolArguments = fc.dictionary(identifier, fc.oneof(prose, fc.integer(), fc.boolean()), { maxKeys: 3 });

function toolCallPart(shape: RequestShape = {}): fc.Arbitrary<ToolCallPart> {
  return fc
    .tuple(identifier, identifier, toolArguments, fc.option(base64, { nil: undefined }))
    .map(([id, name, args, signature]) => ({
      kind: 'tool-call',
      id: `call_${id}`,
      name,
      arguments: JSON.stringify(args),
      ...(shape.toolSignatures && signature !== undefined && { signature }),
    }));
}

function toolCalls(shape: RequestShape, minLength: number): fc.Arbitrary<ToolCallPart[]> {
  return fc.uniqueArray(toolCallPart(shape), { minLength, maxLength: 3, selector: ({ id }) => id });
}

function userMessage(shape: RequestShape): fc.Arbitrary<Message> {
  const media = [
    ...(shape.images ? [imagePart] : []),
    ...(shape.audio ? [audioPart] : []),
    ...(shape.files ? [filePart] : []),
  ];
  const parts = fc.tuple(
    prose,
    media.length > 0 ? fc.array(fc.oneof(...media), { maxLength: 2 }) : fc.constant<Part[]>([]),
  );
  return fc.tuple(parts, fc.option(identifier, { nil: undefined })).map(([[text, rest], name]) => ({
    role: 'user',
    parts: [{ kind: 'text', text }, ...rest],
    ...(shape.names && name !== undefined && { name }),
  }));
}

/** The model's turn and, when it called tools, the answers to all of its calls. */
function assistantTurn(shape: RequestShape): fc.Arbitrary<Message[]> {
  const reasoning = shape.reasoning
    ? fc.array(reasoningPart(shape.reasoning.signed), { maxLength: 1 })
    : fc.constant<ReasoningPart[]>([]);
  const said = fc.oneof(
    prose.map((text): Part => ({ kind: 'text', text })),
    ...(shape.refusals ? [prose.map((text): Part => ({ kind: 'refusal', text }))] : []),
  );
  const plain = fc
    .tuple(reasoning, said)
    .map(([thought, part]): Message[] => [{ role: 'assistant', parts: [...thought, part] }]);
  const calling = fc
    .tuple(
      reasoning,
      fc.option(prose, { nil: undefined }),
      toolCalls(shape, 1),
      fc.array(prose, { minLength: 3, maxLength: 3 }),
    )
    .map(([thought, text, calls, answers]): Message[] => [
      {
        role: 'assistant',
        parts: [...thought, ...(text === undefined ? [] : [{ kind: 'text' as const, text }]), ...calls],
      },
      ...toolAnswers(shape, calls, answers),
    ]);
  return fc.oneof(plain, calling);
}

function toolAnswers(shape: RequestShape, calls: ToolCallPart[], answers: string[]): Message[] {
  const results = calls.map(
    ({ id }, at): Part => ({
      kind: 'tool-result',
      callId: id,
      content: [{ kind: 'text', text: answers[at] ?? 'done' }],
    }),
  );
  if (shape.joinedToolResults) return [{ role: 'tool', parts: results }];
  return results.map((result) => ({ role: 'tool', parts: [result] }));
}

function messages(shape: RequestShape): fc.Arbitrary<Message[]> {
  const system = fc.option(
    fc
      .tuple(fc.constantFrom(...(['system', ...(shape.developerRole ? (['developer'] as const) : [])] as const)), prose)
      .map(([role, text]): Message => ({ role, parts: [{ kind: 'text', text }] })),
    { nil: undefined },
  );
  const rounds = fc.array(fc.tuple(userMessage(shape), assistantTurn(shape)), { maxLength: 3 });
  return fc
    .tuple(system, rounds, userMessage(shape))
    .map(([first, turns, last]) => [
      ...(first ? [first] : []),
      ...turns.flatMap(([user, turn]) => [user, ...turn]),
      last,
    ]);
}

const tools: fc.Arbitrary<Tool[]> = fc.uniqueArray(
  fc.tuple(identifier, fc.option(prose, { nil: undefined }), jsonSchema).map(
    ([name, description, parameters]): Tool => ({
      kind: 'function',
      name,
      ...(description !== undefined && { description }),
      parameters,
    }),
  ),
  { maxLength: 3, selector: ({ name }) => name },
);

function toolChoice(known: Tool[]): fc.Arbitrary<ToolChoice | undefined> {
  if (known.length === 0) return fc.constant(undefined);
  return fc.oneof(
    fc.constantFrom<(ToolChoice | undefined)[]>(undefined, { kind: 'auto' }, { kind: 'none' }, { kind: 'required' }),
    fc.constantFrom(...known).map(({ name }): ToolChoice => ({ kind: 'tool', name })),
  );
}

const SAMPLING: { [K in keyof Sampling]-?: fc.Arbitrary<NonNullable<Sampling[K]>> } = {
  temperature: fc.constantFrom(0, 0.25, 0.7, 1),
  topP: fc.constantFrom(0.1, 0.5, 1),
  topK: fc.integer({ min: 1, max: 100 }),
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  stop: fc.array(prose, { minLength: 1, maxLength: 3 }),
  presencePenalty: fc.constantFrom(-1, 0, 1.5),
  frequencyPenalty: fc.constantFrom(-1, 0, 1.5),
  logitBias: fc.constant({ '50256': -100 }),
  count: fc.integer({ min: 2, max: 3 }),
  logprobs: fc.boolean(),
  topLogprobs: fc.integer({ min: 0, max: 5 }),
};

function sampling(names: readonly (keyof Sampling)[]): fc.Arbitrary<Sampling> {
  const chosen = Object.fromEntries(names.map((name) => [name, SAMPLING[name]]));
  return fc.record(chosen, { requiredKeys: [] }) as fc.Arbitrary<Sampling>;
}

function output(kinds: readonly OutputKind['kind'][]): fc.Arbitrary<OutputKind> {
  return fc.constantFrom(...kinds).chain((kind): fc.Arbitrary<OutputKind> => {
    if (kind !== 'json-schema') return fc.constant({ kind });
    return fc.tuple(identifier, jsonSchema).map(([name, schema]) => ({ kind, name, schema, strict: true }));
  });
}

export function chatRequest(shape: RequestShape): fc.Arbitrary<ChatRequest> {
  return fc
    .record({
      messages: messages(shape),
      tools,
      output: output(shape.outputs ?? ['text']),
      sampling: sampling(shape.sampling ?? []),
      maxOutputTokens: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
      stream: fc.boolean(),
    })
    .chain(({ maxOutputTokens, ...rest }) =>
      toolChoice(rest.tools).map((choice) => ({
        model: 'vendor/model',
        ...rest,
        ...(choice && { toolChoice: choice }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        includeUsage: rest.stream ? true : undefined,
        svc: { knowledgeBaseIds: [] },
        extras: {},
      })),
    );
}

export interface ResponseShape extends RequestShape {
  /** How many choices at most; 1 for protocols that know no more. */
  choices?: number;
  buckets?: readonly Bucket[];
}

function usage(buckets: readonly Bucket[]): fc.Arbitrary<Usage> {
  return fc.tuple(...buckets.map(() => fc.integer({ min: 0, max: 10_000 }))).map((counts) => ({
    source: 'upstream',
    buckets: Object.fromEntries(buckets.map((bucket, at) => [bucket, counts[at] ?? 0])),
  }));
}

function choice(shape: ResponseShape): fc.Arbitrary<Omit<Choice, 'index'>> {
  const reasoning = shape.reasoning
    ? fc.array(reasoningPart(shape.reasoning.signed), { maxLength: 1 })
    : fc.constant<ReasoningPart[]>([]);
  return fc
    .tuple(reasoning, prose, toolCalls(shape, 0), fc.constantFrom<FinishKind[]>('stop', 'length', 'content-filter'))
    .map(([thought, text, calls, kind]) => ({
      parts: [...thought, { kind: 'text', text }, ...calls],
      finish: { kind: calls.length > 0 ? 'tool-calls' : kind },
    }));
}

export function chatResponse(shape: ResponseShape): fc.Arbitrary<ChatResponse> {
  return fc
    .record({
      id: identifier.map((id) => `resp-${id}`),
      created: fc.integer({ min: 1_600_000_000, max: 2_000_000_000 }),
      choices: fc.array(choice(shape), { minLength: 1, maxLength: shape.choices ?? 1 }),
      usage: usage(shape.buckets ?? ['inputFresh', 'output']),
    })
    .map(({ choices, ...rest }) => ({
      ...rest,
      model: 'vendor/model',
      choices: choices.map((one, index) => ({ index, ...one })),
    }));
}
