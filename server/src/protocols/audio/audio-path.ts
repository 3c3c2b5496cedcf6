/** Where providers that copied OpenAI's audio endpoints have them. */
import type { ProtocolId } from '../../core/chat.ts';
import type { Quirks } from '../protocol.ts';

export type AudioTask = 'speech' | 'transcriptions' | 'translations';

const SPEAK_AUDIO: ReadonlySet<ProtocolId> = new Set<ProtocolId>(['openai-chat', 'openai-responses']);

/** The other protocols have no audio endpoints at all. */
export function hasAudioEndpoints(protocol: ProtocolId): boolean {
  return SPEAK_AUDIO.has(protocol);
}

export function audioPath(task: AudioTask, model: string, { azure }: Quirks): string {
  if (!azure) return `/audio/${task}`;
  return `/deployments/${encodeURIComponent(model)}/audio/${task}?api-version=${encodeURIComponent(azure.apiVersion)}`;
}
