/** What speech may be answered as, and the type each is announced with when the provider names none. */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

const CONTENT_TYPES: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** The provider knows best what it sent; `application/octet-stream` and the like say nothing. */
export function speechContentType(format: SpeechFormat | undefined, announced: string): string {
  return announced.startsWith('audio/') ? announced : CONTENT_TYPES[format ?? 'mp3'];
}
