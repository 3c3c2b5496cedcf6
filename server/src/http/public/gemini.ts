/** Gemini's own API, for any model: chats, counts, embeddings and the list of models. */
import {
  batchEmbedContents,
  countGeminiTokens,
  embedContent,
  generateContent,
  streamGenerateContent,
} from '@dargah/api/public/gemini.ts';
import type { FastifyRequest } from 'fastify';
import type { Answer, Sink, StreamAnswer } from '../../core/answer.ts';
import { embeddingsEndpoint } from '../../gateway/embeddings/embeddings.ts';
import {
  answerChat,
  answerCountTokens,
  type Call,
  type ClientProtocol,
  type Gateway,
  runPaidRequest,
} from '../../gateway/index.ts';
import {
  ArrayFrames,
  decodeBatchEmbed,
  decodeCount,
  decodeEmbedContent,
  encodeBatchEmbed,
  encodeCount,
  encodeEmbedContent,
  geminiClient,
  geminiGenerateClient,
} from '../../protocols/index.ts';
import { type GeminiAddress, type GeminiMethod, geminiAddressOf } from '../gemini-address.ts';
import type { KeyDescription, KeyRoutes } from '../routes/key-routes.ts';

const RESPONSE_ID_PREFIX = 'gen_';

interface MethodEntry {
  description: KeyDescription;
  answer(call: Call, model: string, request: FastifyRequest, gw: Gateway): Promise<Answer>;
}

const METHODS: Record<GeminiMethod, MethodEntry> = {
  generateContent: {
    description: generateContent,
    answer: (call, model, _request, gw) => answerChat(call, protocolOf(model, false), gw),
  },
  streamGenerateContent: {
    description: streamGenerateContent,
    answer(call, model, { query }, gw) {
      const { alt } = query as { alt?: unknown };
      const protocol = protocolOf(model, true);
      return answerChat(call, alt === 'sse' ? protocol : { ...protocol, resumes: 'never', keepStream: asArray }, gw);
    },
  },
  countTokens: {
    description: countGeminiTokens,
    answer(call, model, _request, gw) {
      const decode = (body: Parameters<typeof decodeCount>[0]) => decodeCount(body, { model, stream: false });
      return answerCountTokens(call, { decode, encode: encodeCount }, gw);
    },
  },
  embedContent: {
    description: embedContent,
    answer: (call, model, _request, gw) =>
      runPaidRequest(
        call,
        embeddingsEndpoint,
        { decode: (body) => decodeEmbedContent(body, model), encode: encodeEmbedContent },
        gw,
      ),
  },
  batchEmbedContents: {
    description: batchEmbedContents,
    answer: (call, model, _request, gw) =>
      runPaidRequest(
        call,
        embeddingsEndpoint,
        { decode: (body) => decodeBatchEmbed(body, model), encode: encodeBatchEmbed },
        gw,
      ),
  },
};

/** Ids in frames, by which other streams are continued, break these SDKs: only requests that ask for them get them. */
function protocolOf(model: string, stream: boolean): ClientProtocol {
  const client = geminiClient({ model, stream });
  return { client, responseIdPrefix: RESPONSE_ID_PREFIX, resumes: 'when asked' };
}

export function gemini(routes: KeyRoutes, gw: Gateway): void {
  const described = Object.values(METHODS).map(({ description }) => description);
  routes.addressed(described, ['/api/v1beta/*', '/api/v1/models/*'], geminiGenerateClient, (request) => {
    const { '*': rest } = request.params as { '*': string };
    const address = geminiAddressOf(rest);
    return address && { description: METHODS[address.method].description, work: workOf(address, request, gw) };
  });
}

function workOf({ model, method }: GeminiAddress, request: FastifyRequest, gw: Gateway) {
  return (call: Call): Promise<Answer> => {
    call.address = `${model}:${method}`;
    return METHODS[method].answer(call, model, request, gw);
  };
}

/** Writes a stream for a caller who did not ask for events. */
function asArray(answer: StreamAnswer): StreamAnswer {
  return {
    ...answer,
    contentType: 'application/json; charset=utf-8',
    run: (sink) => answer.run(new ArraySink(sink)),
  };
}

class ArraySink implements Sink {
  readonly #sink: Sink;
  readonly #frames = new ArrayFrames();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  get gone(): boolean {
    return this.#sink.gone;
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    const text = this.#frames.write(typeof data === 'string' ? data : Buffer.from(data).toString('utf8'));
    return text === '' ? undefined : this.#sink.write(text);
  }

  end(): void {
    if (!this.#sink.gone) void this.#sink.write(this.#frames.end());
    this.#sink.end();
  }

  cut(): void {
    this.#sink.cut();
  }
}
