/** Guesses the kind of a model that nobody described from its name, which tells it nearly always. */
import type { ModelKind } from './model.ts';

export function guessedKind(name: string): ModelKind {
  if (/rerank/i.test(name)) return 'rerank';
  if (/embed/i.test(name)) return 'embedding';
  if (/moderation/i.test(name)) return 'moderation';
  if (/whisper|transcri/i.test(name)) return 'transcription';
  if (/(^|[^a-z])realtime([^a-z]|$)/i.test(name)) return 'realtime';
  if (/gpt-image|imagine-image|dall-e|flux|stable-diffusion/i.test(name)) return 'image';
  return /(^|[^a-z])tts([^a-z]|$)|speech/i.test(name) ? 'speech' : 'chat';
}
