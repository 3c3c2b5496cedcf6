/** The bodies of `:generateContent` and its neighbours, as the SDKs of Gemini write them. Both spellings of a field are taken. */
import Type from 'typebox';
import { AnyObject, maybe, open, ServiceExtensionSchema, words } from './parts.ts';

const MAX_ITEMS = 100_000;

const Part = open(
  {
    text: maybe(Type.String()),
    inlineData: maybe(open({ mimeType: Type.String(), data: Type.String({ description: 'base64.' }) })),
    fileData: maybe(open({ fileUri: Type.String(), mimeType: maybe(Type.String()) })),
    functionCall: maybe(AnyObject),
    functionResponse: maybe(AnyObject),
    thought: maybe(Type.Boolean()),
    thoughtSignature: maybe(Type.String({ description: 'Send it back as it came.' })),
  },
  'GeminiPart',
);
const Content = open(
  {
    role: maybe(words('user', 'model', 'function')),
    parts: maybe(Type.Array(Part, { maxItems: MAX_ITEMS })),
  },
  'GeminiContent',
);
const Contents = Type.Array(Content, { minItems: 1, maxItems: MAX_ITEMS });
const Config = open(
  {
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    topP: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    topK: maybe(Type.Number({ minimum: 0 })),
    candidateCount: maybe(Type.Integer({ minimum: 1, maximum: 8 })),
    maxOutputTokens: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    stopSequences: maybe(Type.Array(Type.String(), { maxItems: MAX_ITEMS })),
    responseMimeType: maybe(words('text/plain', 'application/json')),
    responseSchema: maybe(AnyObject),
    responseJsonSchema: maybe(AnyObject),
    thinkingConfig: maybe(AnyObject),
  },
  'GeminiConfig',
);

const asked = {
  systemInstruction: maybe(Type.Union([Type.String(), AnyObject])),
  tools: maybe(Type.Array(open({ functionDeclarations: maybe(Type.Array(AnyObject)) }), { maxItems: MAX_ITEMS })),
  toolConfig: maybe(AnyObject),
  generationConfig: maybe(Config),
  safetySettings: maybe(Type.Array(AnyObject, { maxItems: MAX_ITEMS })),
  svc: maybe(ServiceExtensionSchema),
};

export const GenerateContentRequest = open({ contents: Contents, ...asked }, 'GenerateContentRequest');
export const GeminiCountRequest = open(
  { contents: maybe(Contents), generateContentRequest: maybe(AnyObject), ...asked },
  'GeminiCountRequest',
);

const embedded = {
  content: Content,
  outputDimensionality: maybe(Type.Integer({ minimum: 1, maximum: 65_536 })),
  taskType: maybe(Type.String()),
  title: maybe(Type.String()),
};

export const EmbedContentRequest = open({ ...embedded, svc: maybe(ServiceExtensionSchema) }, 'EmbedContentRequest');
export const BatchEmbedRequest = open(
  {
    requests: Type.Array(open(embedded, 'EmbedContentEntry'), { minItems: 1, maxItems: 2_048 }),
    svc: maybe(ServiceExtensionSchema),
  },
  'BatchEmbedRequest',
);
