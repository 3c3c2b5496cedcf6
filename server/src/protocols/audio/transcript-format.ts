/** The formats in which a transcript may be answered. */
export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** Translations have no diarised format. */
export const TRANSLATION_FORMATS = TRANSCRIPT_FORMATS.filter((format) => format !== 'diarized_json');

export function isPlainText(format: TranscriptFormat): boolean {
  return format === 'text' || format === 'srt' || format === 'vtt';
}

const CAPTION_END = /-->\s*(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{3})/g;

/** Where the last caption of an srt or vtt file ends; silence after it is not seen, so it is a lower bound of the length. */
export function captionsEndSeconds(captions: string): number {
  let end = 0;
  for (const [, hours = '0', minutes, seconds, thousandths] of captions.matchAll(CAPTION_END)) {
    const at = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(thousandths) / 1000;
    if (at > end) end = at;
  }
  return end;
}
