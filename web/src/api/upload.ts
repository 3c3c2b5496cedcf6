/** A file on its way up, with its progress; fetch cannot tell how much has been sent. */
import { callHeaders, Refused } from './call.ts';

export function uploadFile(address: string, file: File, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    for (const [name, value] of Object.entries(callHeaders())) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onerror = () => reject(new TypeError('the upload was cut off'));
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(refusalOf(request));
    };
    const form = new FormData();
    form.append('file', file, file.name);
    request.send(form);
  });
}

function refusalOf(request: XMLHttpRequest): Refused {
  try {
    const { error } = JSON.parse(request.responseText) as {
      error: { code: string; message: string; param: string | null };
    };
    return new Refused(
      request.status,
      error.code,
      error.message,
      error.param,
      request.getResponseHeader('x-request-id'),
    );
  } catch {
    return new Refused(
      request.status,
      'internal_error',
      request.statusText,
      null,
      request.getResponseHeader('x-request-id'),
    );
  }
}
