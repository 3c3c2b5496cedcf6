/**
 * A vendor inside the process, so that a fresh installation answers before any provider is configured. It is a simulator and
 * says so. It sits behind the transport port: requests to it are encoded, metered, charged and logged like all others.
 */
import type { Clock } from '../../../core/clock.ts';
import { isJsonObject, parseTrustedJson } from '../../../core/json.ts';
import { transportFailure } from '../name-failure.ts';
import type { UpstreamBody, UpstreamCall, UpstreamReply, UpstreamTransport } from '../port.ts';
import { simulateSpeech, simulateTranscription } from './audio.ts';
import { simulateChat } from './chat.ts';
import { simulateEmbeddings } from './embeddings.ts';
import { simulateMessages, simulateResponses } from './hosted.ts';
import { simulateImages } from './images.ts';
import { jsonReply, type LocalAnswer, LocalReply } from './local-reply.ts';
import { simulateModeration } from './moderations.ts';
import { SandboxRealtime } from './realtime.ts';
import { simulateRerank } from './rerank.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

export function createSandbox(options: { clock: Clock }): UpstreamTransport {
  let sequence = 0;
  return {
    async send(call: UpstreamCall): Promise<UpstreamReply> {
      call.onSent?.();
      const body = await collect(call.body);
      if (call.cancellation?.cancelled) {
        throw transportFailure('truncated', 'aborted', `sandbox: aborted: ${call.cancellation.reason}`, 'headers');
      }
      const created = Math.floor(options.clock.now() / 1000);
      return new LocalReply(simulate(call.url, body, created, ++sequence), call.cancellation);
    },
    async openSocket({ url }) {
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith('/realtime')) return new SandboxRealtime(searchParams.get('model') ?? '');
      throw transportFailure('model-gone', 'handshake', 'the sandbox has no socket at this path', 'headers');
    },
    close: () => Promise.resolve(),
  };
}

function simulate(url: string, body: Buffer, created: number, sequence: number): LocalAnswer {
  if (/\/audio\/(transcriptions|translations)$/.test(url)) return simulateTranscription(body);
  if (/\/images\/(generations|edits)$/.test(url)) return simulateImages(url, body);
  const json = parseTrustedJson(body.toString('utf8'));
  if (!isJsonObject(json)) return refusal(400, 'the body is not a JSON object');
  if (url.endsWith('/chat/completions')) return simulateChat(json, created, sequence);
  if (url.endsWith('/responses')) return simulateResponses(json, created, sequence);
  if (url.endsWith('/messages')) return simulateMessages(json, sequence);
  if (url.endsWith('/embeddings')) return simulateEmbeddings(json);
  if (url.endsWith('/moderations')) return simulateModeration(json);
  if (url.endsWith('/rerank')) return simulateRerank(json);
  if (url.endsWith('/audio/speech')) return simulateSpeech(json);
  return refusal(404, 'the sandbox has nothing at this path');
}

function refusal(status: number, message: string): LocalAnswer {
  return jsonReply(status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}

async function collect(body: UpstreamBody | undefined): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES)
      throw transportFailure('client-fault', 'too_large', 'sandbox: the upload is too large', 'headers');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
