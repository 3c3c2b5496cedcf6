/**
 * The request path of endpoints whose body is a form with a file. The form stays on the wire until the caller is known,
 * so that nobody else can make us write to the disk. The file stays on disk until a route has answered, because the
 * next route may need the same bytes, and is deleted before the answer ends.
 */
import { createHash } from 'node:crypto';
import type { Answer } from '../../core/answer.ts';
import type { UploadedFile } from '../../platform/upload-files.ts';
import type { FormField } from '../../protocols/index.ts';
import { authenticate } from '../admit/authenticate.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import type { Asked, PaidEndpoint } from './paid-endpoint.ts';
import { answerOnce } from './run-paid-request.ts';

export interface ReceivedForm {
  fields: FormField[];
  file: UploadedFile;
  fileName: string;
  fileType: string;
}

/** `receive` reads the form from the wire; `sourceOf` is what the endpoint reads of it. */
export async function runPaidUpload<Source, A extends Asked, Begun>(
  call: Call,
  endpoint: PaidEndpoint<Source, A, Begun>,
  receive: () => Promise<ReceivedForm>,
  sourceOf: (form: ReceivedForm) => Source,
  gw: Gateway,
): Promise<Answer> {
  const key = await authenticate(call, gw);
  const form = await receive();
  try {
    // One call object from here on, because the claim of an Idempotency-Key is recorded on it.
    const identified = { ...call, body: digestOf(form) };
    return await answerOnce(identified, key, endpoint, sourceOf(form), gw);
  } finally {
    await form.file.remove();
  }
}

/** The boundary differs each time a form is sent, so its fields are compared and not its bytes. */
function digestOf({ fields, file, fileName }: ReceivedForm): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([fields, fileName, file.digest]))
    .digest();
}
