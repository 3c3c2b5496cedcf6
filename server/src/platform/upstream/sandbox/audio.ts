/** Speech is a tone as long as the text would take to say; transcription says what it received. */
import type { JsonObject } from '../../../core/json.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';

const SAMPLE_RATE = 16_000;
const WAV_HEADER_BYTES = 44;
const TONE_HERTZ = 440;
const MAX_SECONDS = 5;

export function simulateSpeech(body: JsonObject): LocalAnswer {
  const text = typeof body['input'] === 'string' ? body['input'] : '';
  const seconds = Math.min(MAX_SECONDS, 0.2 + text.length * 0.02);
  const samples = toneOf(seconds, SAMPLE_RATE);
  if (body['response_format'] === 'pcm')
    return { status: 200, headers: { 'content-type': 'audio/pcm' }, chunks: [samples] };
  return { status: 200, headers: { 'content-type': 'audio/wav' }, chunks: [wavHeader(samples.length), samples] };
}

/** Samples of 16 bits. */
export function toneOf(seconds: number, rate: number): Buffer {
  const count = Math.floor(seconds * rate);
  const samples = Buffer.alloc(count * 2);
  for (let i = 0; i < count; i++) {
    // Fades at both ends: a tone cut off hard clicks.
    const fade = Math.min(1, i / 800, (count - i) / 800);
    samples.writeInt16LE(Math.round(Math.sin((2 * Math.PI * TONE_HERTZ * i) / rate) * 8000 * fade), i * 2);
  }
  return samples;
}

function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

export function simulateTranscription(form: Buffer): LocalAnswer {
  const fields = form.toString('latin1');
  const format = /name="response_format"\r\n\r\n([a-z_]+)/.exec(fields)?.[1] ?? 'json';
  const seconds = secondsOf(form);
  const text = `Sandbox simulator: received ${seconds.toFixed(1)} seconds of audio.`;
  const usage = { type: 'duration', seconds: Math.ceil(seconds) };
  const end = new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23);
  switch (format) {
    case 'text':
      return plain(`${text}\n`);
    case 'srt':
      return plain(`1\n00:00:00,000 --> ${end.replace('.', ',')}\n${text}\n\n`);
    case 'vtt':
      return plain(`WEBVTT\n\n00:00:00.000 --> ${end}\n${text}\n\n`);
    case 'verbose_json':
      return jsonReply(200, {
        task: 'transcribe',
        language: 'english',
        duration: seconds,
        text,
        segments: [{ id: 0, start: 0, end: seconds, text }],
        usage,
      });
    default:
      return jsonReply(200, { text, usage });
  }
}

function plain(text: string): LocalAnswer {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, chunks: [text] };
}

/** From the WAV header where there is one; otherwise as if it were compressed at 64 kbit/s. */
function secondsOf(form: Buffer): number {
  const at = form.indexOf('RIFF', 0, 'latin1');
  if (at >= 0 && form.length >= at + WAV_HEADER_BYTES && form.toString('latin1', at + 8, at + 12) === 'WAVE') {
    const bytesPerSecond = form.readUInt32LE(at + 28);
    if (bytesPerSecond > 0) return Math.max(0.1, form.readUInt32LE(at + 40) / bytesPerSecond);
  }
  return Math.max(0.1, form.length / 8000);
}
