/** The second protocol. Its SDK appends `/v1/messages` to `{root_url}`; unknown betas and `?beta=true` are simply not looked at. */
import type { ChatRequest } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import { answerChat, answerCountTokens, type ClientProtocol } from '../../gateway/index.ts';
import type { DirectLane } from '../direct-lane.ts';
import type { Serving } from '../serve.ts';

export function messages(
  lane: DirectLane,
  { gw }: Serving,
  protocol: ClientProtocol,
  decodeForCounting: (body: JsonObject) => ChatRequest,
): void {
  const { client } = protocol;
  lane.post('/api/v1/messages', 'messages', client, (call) => answerChat(call, protocol, gw));
  lane.post('/api/v1/messages/count_tokens', 'messages.count_tokens', client, (call) =>
    answerCountTokens(call, decodeForCounting, gw),
  );
}
