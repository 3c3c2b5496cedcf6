/** Embeddings and audio. A recording comes as a form with a file: nothing may read it before the caller is known. */

import {
  createEmbeddings,
  createSpeech,
  createTranscription,
  createTranslation,
} from '@dargah/api/public/embeddings-audio.ts';
import { answerEmbeddings, answerSpeech, answerTranscription, type Gateway } from '../../gateway/index.ts';
import type { UploadFiles } from '../../platform/upload-files.ts';
import { decodeEmbeddingRequest, decodeSpeechRequest, openaiChatClient } from '../../protocols/index.ts';
import { receiveForm } from '../receive-form.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';

export interface AudioUploads {
  uploads: UploadFiles;
  maxUploadBytes: number;
}

export function embeddingsAndAudio(routes: KeyRoutes, gw: Gateway, { uploads, maxUploadBytes }: AudioUploads): void {
  const codec = openaiChatClient;
  routes.model(createEmbeddings, codec, (call) => answerEmbeddings(call, gw, decodeEmbeddingRequest));
  routes.model(createSpeech, codec, (call) => answerSpeech(call, gw, decodeSpeechRequest));
  const tasks = [
    [createTranscription, 'transcriptions'],
    [createTranslation, 'translations'],
  ] as const;
  for (const [description, task] of tasks) {
    routes.upload(description, codec, (call, form) => {
      const receive = () => receiveForm(form, uploads, { fileBytes: maxUploadBytes });
      return answerTranscription(call, task, receive, gw);
    });
  }
}
