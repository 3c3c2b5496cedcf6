/** Embeddings and audio. A recording comes as a form with a file: nothing may read it before the caller is known. */

import {
  createEmbeddings,
  createSpeech,
  createTranscription,
  createTranslation,
} from '@dargah/api/public/embeddings-audio.ts';
import { speechEndpoint } from '../../gateway/audio/speech.ts';
import { transcriptionEndpoint } from '../../gateway/audio/transcribe.ts';
import { embeddingsEndpoint } from '../../gateway/embeddings/embeddings.ts';
import { type Gateway, runPaidRequest, runPaidUpload } from '../../gateway/index.ts';
import type { UploadFiles } from '../../platform/upload-files.ts';
import {
  decodeEmbeddingRequest,
  decodeSpeechRequest,
  encodeEmbeddingResponse,
  openaiChatClient,
} from '../../protocols/index.ts';
import { receiveForm } from '../receive-form.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';

export const EMBEDDINGS = { decode: decodeEmbeddingRequest, encode: encodeEmbeddingResponse };

export interface AudioUploads {
  uploads: UploadFiles;
  maxUploadBytes: number;
}

export function embeddingsAndAudio(routes: KeyRoutes, gw: Gateway, { uploads, maxUploadBytes }: AudioUploads): void {
  const codec = openaiChatClient;
  routes.model(createEmbeddings, codec, (call) => runPaidRequest(call, embeddingsEndpoint, EMBEDDINGS, gw));
  routes.model(createSpeech, codec, (call) => runPaidRequest(call, speechEndpoint, decodeSpeechRequest, gw));
  const tasks = [
    [createTranscription, 'transcriptions'],
    [createTranslation, 'translations'],
  ] as const;
  for (const [description, task] of tasks) {
    routes.upload(description, codec, (call, form) => {
      const receive = () => receiveForm(form, uploads, { fileBytes: maxUploadBytes });
      return runPaidUpload(call, transcriptionEndpoint, receive, (received) => ({ task, form: received }), gw);
    });
  }
}
