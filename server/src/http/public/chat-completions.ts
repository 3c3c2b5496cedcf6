import { answerChat, type ClientLanguage } from '../../gateway/index.ts';
import type { DirectLane } from '../lane/direct-lane.ts';
import type { Serving } from '../serve.ts';

export function chatCompletions(lane: DirectLane, { gw }: Serving, language: ClientLanguage): void {
  lane.post('/api/v1/chat/completions', 'chat.completions', language.client, (call) => answerChat(call, language, gw));
}
