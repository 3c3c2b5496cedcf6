/** Transcriptions and translations. Their bodies are forms with files: nothing may read them before the caller is known. */
import type { FastifyInstance } from 'fastify';
import { answerTranscription } from '../../gateway/index.ts';
import type { UploadFiles } from '../../platform/upload-files.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { receiveForm, throwAwayRest } from '../receive-form.ts';
import { type Serving, serve } from '../serve.ts';

export function transcriptions(
  app: FastifyInstance,
  serving: Serving,
  codec: ClientCodec,
  { uploads, maxUploadBytes }: { uploads: UploadFiles; maxUploadBytes: number },
): void {
  // A context of its own: everywhere else bodies are read whole, here they are left on the wire.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const task of ['transcriptions', 'translations'] as const) {
      scope.post(
        `/api/v1/audio/${task}`,
        serve(serving, `audio.${task}`, codec, async (call, { raw }) => {
          try {
            const receive = () => receiveForm(raw, uploads, { fileBytes: maxUploadBytes });
            return await answerTranscription(call, task, receive, serving.gw);
          } finally {
            throwAwayRest(raw);
          }
        }),
      );
    }
  });
}
