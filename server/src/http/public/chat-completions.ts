import { answerChat, type ClientProtocol } from '../../gateway/index.ts';
import type { DirectLane } from '../direct-lane.ts';
import type { Serving } from '../serve.ts';

export function chatCompletions(lane: DirectLane, { gw }: Serving, protocol: ClientProtocol): void {
  lane.post('/api/v1/chat/completions', 'chat.completions', protocol.client, (call) => answerChat(call, protocol, gw));
}
