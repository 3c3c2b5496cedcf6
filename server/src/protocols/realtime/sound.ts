/** How much audio a number of bytes is, and how many tokens that is at most. */
import { isJsonObject, type JsonObject } from '../../core/json.ts';

/** 24,000 samples of 16 bits a second; the formats of telephones have 8,000 of 8 bits. */
const PCM_BYTES_PER_SECOND = 48_000;
const PHONE_BYTES_PER_SECOND = 8_000;
/**
 * A model hears ten tokens a second and speaks twenty; both are held for as twenty, since compatible servers differ.
 */
const TOKENS_PER_SECOND = 20;

export function base64Bytes(text: string): number {
  return Math.floor((text.length * 3) / 4);
}

export function soundTokens(bytes: number, bytesPerSecond: number): number {
  return Math.ceil((bytes / bytesPerSecond) * TOKENS_PER_SECOND);
}

/** `side` is a side of `session.audio`. Unknown formats count as the one in which the same bytes last longest. */
export function bytesPerSecond(session: JsonObject, side: 'input' | 'output'): number {
  const audio = isJsonObject(session['audio']) ? session['audio'] : {};
  const half = isJsonObject(audio[side]) ? audio[side] : {};
  const format = half['format'] ?? session[`${side}_audio_format`];
  const name = isJsonObject(format) ? format['type'] : format;
  if (name === undefined || name === 'audio/pcm' || name === 'pcm16') return PCM_BYTES_PER_SECOND;
  return PHONE_BYTES_PER_SECOND;
}
