/** Embeddings and audio, described. */
import { EmbeddingList, FileBytes, Transcript } from '../../openapi/answers.ts';
import { SpeechBody, TranscriptionForm, TranslationForm } from '../../openapi/bodies/audio.ts';
import { EmbeddingsRequest } from '../../openapi/bodies/embeddings.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { PAID } from './usual-errors.ts';

export const createEmbeddings = describeRoute({
  method: 'POST',
  path: '/api/v1/embeddings',
  access: { guard: 'key', endpoint: 'embeddings' },
  operationId: 'createEmbeddings',
  tag: 'Embeddings',
  summary: { fa: 'بردار متن‌ها', en: 'Vectors of texts' },
  body: EmbeddingsRequest,
  result: EmbeddingList,
  errors: PAID,
  example: { model: 'sandbox/embed', input: ['سلام', 'hello'] },
});

export const createSpeech = describeRoute({
  method: 'POST',
  path: '/api/v1/audio/speech',
  access: { guard: 'key', endpoint: 'audio.speech' },
  operationId: 'createSpeech',
  tag: 'Audio',
  summary: { fa: 'متن به گفتار', en: 'Text to speech' },
  body: SpeechBody,
  result: FileBytes,
  resultType: 'audio/mpeg',
  streams: true,
  errors: PAID,
  example: { model: 'sandbox/speech', input: 'سلام', voice: 'alloy' },
});

export const createTranscription = describeRoute({
  method: 'POST',
  path: '/api/v1/audio/transcriptions',
  access: { guard: 'key', endpoint: 'audio.transcriptions' },
  operationId: 'createTranscription',
  tag: 'Audio',
  summary: { fa: 'گفتار به متن', en: 'Speech to text' },
  body: TranscriptionForm,
  bodyType: 'multipart/form-data',
  result: Transcript,
  streams: true,
  errors: PAID,
});

export const createTranslation = describeRoute({
  method: 'POST',
  path: '/api/v1/audio/translations',
  access: { guard: 'key', endpoint: 'audio.translations' },
  operationId: 'createTranslation',
  tag: 'Audio',
  summary: { fa: 'گفتار به متن انگلیسی', en: 'Speech to English text' },
  body: TranslationForm,
  bodyType: 'multipart/form-data',
  result: Transcript,
  errors: PAID,
});
