/** Where the providers of a protocol list their models, and the names in such a list. */
import type { ProtocolId } from '../core/chat.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { REQUEST_HEADERS } from './anthropic-messages/upstream/encode-request.ts';
import type { HttpParts, Quirks } from './protocol.ts';

interface ModelListPlace extends Pick<HttpParts, 'path' | 'headers'> {
  /** Amazon lists them at another of its hosts than it serves them. */
  host?: { from: string; to: string };
}

export function modelListOf(protocol: ProtocolId, { cloud }: Pick<Quirks, 'cloud'>): ModelListPlace {
  if (protocol === 'bedrock-converse' || cloud === 'bedrock')
    return { path: '/foundation-models', headers: {}, host: { from: '//bedrock-runtime.', to: '//bedrock.' } };
  return {
    path: protocol === 'gemini-generate' ? '/models?pageSize=1000' : '/v1/models',
    headers: protocol === 'anthropic-messages' ? REQUEST_HEADERS : {},
  };
}

/** OpenAI and Anthropic list `data[].id`, Gemini `models[].name`, Amazon `modelSummaries[].modelId`. */
export function namesInModelList(body: Json | undefined): ReadonlySet<string> {
  const entries = isJsonObject(body) ? (body['data'] ?? body['models'] ?? body['modelSummaries']) : body;
  const names = new Set<string>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (!isJsonObject(entry)) continue;
    const name = entry['id'] ?? entry['modelId'] ?? entry['name'];
    if (typeof name === 'string') names.add(name.replace(/^models\//, ''));
  }
  return names;
}
