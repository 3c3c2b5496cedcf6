/** Providers that go on with a begun turn only when it is marked. */
import { expect, it } from 'vitest';
import type { ChatRequest } from '../../src/core/chat.ts';
import { openaiChatUpstream } from '../../src/protocols/openai-chat/index.ts';
import { passListed } from '../../src/protocols/passed-fields.ts';
import type { Quirks } from '../../src/protocols/protocol.ts';

function sent(quirks: Quirks, last: 'user' | 'assistant') {
  const request: ChatRequest = {
    model: 'x',
    messages: [
      { role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
      { role: last, parts: [{ kind: 'text', text: 'one' }] },
    ],
    tools: [],
    output: { kind: 'text' },
    sampling: {},
    stream: false,
    includeUsage: undefined,
    svc: { knowledgeBaseIds: [] },
    extras: {},
  };
  const target = {
    model: 'm',
    stream: false,
    maxOutputTokens: undefined,
    modelMaxOutput: undefined,
    capabilities: new Set<string>(),
    quirks,
  };
  return passListed('openai-chat', openaiChatUpstream.encodeRequest(request, target).body, quirks, []);
}

it.each(['prefix', 'partial'] as const)('%s stands on the turn itself, and on no other', (begunTurn) => {
  const begun = { role: 'assistant', content: 'one' };
  expect(sent({ begunTurn }, 'assistant')['messages']).toEqual([
    { role: 'user', content: 'hi' },
    { ...begun, [begunTurn]: true },
  ]);
  expect(JSON.stringify(sent({ begunTurn }, 'user'))).not.toContain(begunTurn);
  expect(sent({}, 'assistant')['messages']).toEqual([{ role: 'user', content: 'hi' }, begun]);
});

it('continue_final_message stands beside the turns', () => {
  const quirks = { begunTurn: 'continue_final_message' } as const;
  expect(sent(quirks, 'assistant')).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
  expect(sent(quirks, 'user')).not.toHaveProperty('continue_final_message');
});
