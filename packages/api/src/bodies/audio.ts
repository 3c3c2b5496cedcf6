/**
 * The bodies of the audio endpoints. The schemas of forms only describe: all fields of a form are text, and the decoder
 * checks them.
 */
import Type from 'typebox';
import { AnyObject, ModelName, maybe, open, ServiceExtensionSchema, words } from './parts.ts';

export const SpeechBody = open(
  {
    model: maybe(ModelName),
    input: Type.String({ minLength: 1 }),
    voice: Type.Union([Type.String({ minLength: 1, maxLength: 512 }), AnyObject]),
    response_format: maybe(words('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm')),
    speed: maybe(Type.Number({ minimum: 0.25, maximum: 4 })),
    instructions: maybe(Type.String({ maxLength: 32_768 })),
    stream_format: maybe(words('audio', 'sse')),
    user: maybe(Type.String()),
    svc: maybe(ServiceExtensionSchema),
  },
  'SpeechRequest',
);

const form = {
  file: Type.String({ contentMediaType: 'application/octet-stream', description: 'The audio.' }),
  model: Type.Optional(ModelName),
  prompt: Type.Optional(Type.String()),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  svc: Type.Optional(Type.String({ description: 'ServiceExtension as JSON text.' })),
};

export const TranscriptionForm = open(
  {
    ...form,
    language: Type.Optional(Type.String()),
    response_format: Type.Optional(words('json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json')),
    stream: Type.Optional(Type.Boolean()),
  },
  'TranscriptionForm',
);
export const TranslationForm = open(
  { ...form, response_format: Type.Optional(words('json', 'text', 'srt', 'verbose_json', 'vtt')) },
  'TranslationForm',
);
