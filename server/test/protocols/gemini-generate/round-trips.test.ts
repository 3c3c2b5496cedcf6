/** A signed call goes out through another protocol, comes back in the history, and is replayed byte for byte. */
import { describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json.ts';
import { money } from '../../../src/core/money.ts';
import type { ClientCodec, ClientView } from '../../../src/protocols/index.ts';
import { anthropicMessagesClient, geminiUpstream, isFailure, openaiChatClient } from '../../../src/protocols/index.ts';
import { answer, encode, hello, request, target } from './fixtures.ts';

const SIGNATURE = 'CmIBEU0yD5YE1Vm/imdvo1aeBiP6JUKWSGHNmOTX+/w=';

const closing = {
  usage: { buckets: { inputFresh: 5, output: 3 }, source: 'upstream' as const },
  cost: money(0n),
};

function signedAnswer(): ChatResponse {
  const response = geminiUpstream.decodeResponse(
    answer([
      { functionCall: { name: 'weather', args: { city: 'Yazd' } }, thoughtSignature: SIGNATURE },
      { functionCall: { name: 'weather', args: { city: 'Qom' } } },
    ]),
    target(),
  );
  if (isFailure(response)) throw new Error(response.message);
  return response;
}

function spoken(client: ClientCodec): JsonObject {
  const view: ClientView = {
    requestId: 'req_1',
    responseId: 'id_1',
    model: 'google/gemini',
    created: 1,
    inputEstimate: 5,
    language: 'en',
    request: request([hello]),
  };
  return client.encodeResponse(signedAnswer(), view, closing);
}

function replayed(client: ClientCodec, messages: Json[]): Json | undefined {
  const decoded = client.decodeRequest({ model: 'google/gemini', max_tokens: 100, messages });
  return encode(decoded, target('gemini-3-flash-preview')).body['contents'];
}

function expectReplay(contents: Json | undefined): void {
  const [, calls, results] = (contents ?? []) as {
    parts: { [key: string]: { id: string; name: string } | string }[];
  }[];
  expect(calls?.parts).toMatchObject([
    { functionCall: { name: 'weather', args: { city: 'Yazd' } }, thoughtSignature: SIGNATURE },
    { functionCall: { name: 'weather', args: { city: 'Qom' } } },
  ]);
  expect(calls?.parts[1]).not.toHaveProperty('thoughtSignature');
  expect(results?.parts).toMatchObject([
    { functionResponse: { id: 'call_Abc-9_0', name: 'weather', response: { output: 'sunny' } } },
    { functionResponse: { id: 'call_Abc-9_1', name: 'weather', response: { output: 'windy' } } },
  ]);
}

describe('thoughtSignature', () => {
  it('survives a round trip through the chat protocol', () => {
    const { choices } = spoken(openaiChatClient);
    const choice = Array.isArray(choices) ? choices[0] : undefined;
    const message = isJsonObject(choice) ? choice['message'] : undefined;
    if (!isJsonObject(message) || !Array.isArray(message['tool_calls'])) throw new Error('no calls');
    const ids = message['tool_calls'].map((call) => (isJsonObject(call) ? String(call['id']) : ''));
    expectReplay(
      replayed(openaiChatClient, [
        { role: 'user', content: 'hello' },
        message,
        { role: 'tool', tool_call_id: ids[0], content: 'sunny' },
        { role: 'tool', tool_call_id: ids[1], content: 'windy' },
      ]),
    );
  });

  it('survives a round trip through the messages protocol', () => {
    const { content } = spoken(anthropicMessagesClient);
    if (!Array.isArray(content)) throw new Error('no content');
    const ids = content.filter(isJsonObject).map((block) => String(block['id']));
    expectReplay(
      replayed(anthropicMessagesClient, [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: ids[0], content: 'sunny' },
            { type: 'tool_result', tool_use_id: ids[1], content: 'windy' },
          ],
        },
      ]),
    );
  });
});
