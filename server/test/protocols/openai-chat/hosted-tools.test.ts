/** Tools that a provider runs itself: for providers that are set to be sent everything, and for no other. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  anthropicMessagesUpstream,
  openaiChatClient,
  openaiChatRelay,
  openaiChatUpstream,
  passListed,
} from '../../../src/protocols/index.ts';
import { refusalOf } from '../refusal-of.ts';
import { target } from './fixtures.ts';

const ADVISOR = { type: 'openrouter:advisor', parameters: { model: 'a/b' } };
const FUNCTION = { type: 'function', function: { name: 'f' } };
const body: JsonObject = { messages: [{ role: 'user', content: 'hi' }], tools: [ADVISOR, FUNCTION] };
const request = openaiChatClient.decodeRequest(body);
const to = target({ passFields: 'all' });

describe('a tool of a type that only its provider knows', () => {
  test('reaches a provider with pass_fields [all], relayed and translated, at its place', () => {
    for (const { body: sent } of [
      openaiChatRelay.patchRequest(body, request, to),
      openaiChatUpstream.encodeRequest(request, to),
    ]) {
      const passed = passListed('openai-chat', sent, to.quirks, []);
      expect(passed['tools']).toEqual([ADVISOR, FUNCTION]);
      expect(passed).not.toHaveProperty('hosted_tools');
    }
  });

  test('is refused by name for every other provider', () => {
    const { body: sent } = openaiChatRelay.patchRequest(body, request, target());
    const refused = { code: 'invalid_request', param: 'tools.0' };
    expect(refusalOf(() => passListed('openai-chat', sent, {}, []))).toEqual(refused);
    expect(refusalOf(() => anthropicMessagesUpstream.encodeRequest(request, to))).toEqual(refused);
  });

  test('may be all there is to choose from', () => {
    const only = openaiChatClient.decodeRequest({ ...body, tools: [ADVISOR], tool_choice: 'required' });
    expect(openaiChatUpstream.encodeRequest(only, to).body).toMatchObject({
      tools: [ADVISOR],
      tool_choice: 'required',
    });
  });
});
