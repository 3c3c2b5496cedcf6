/** Amazon's signature as its documentation computes it (Signature Version 4), step by step and without a library: what a fake checks by. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

interface Signed {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** undefined when the signature is right, else what is wrong with it. */
export function wrongSignature(
  { method, path, headers, text }: Signed,
  keys: { id: string; secret: string; region: string; service: string },
): string | undefined {
  const form = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, scope = '', names = '', given = ''] = form.exec(headers.authorization ?? '') ?? [];
  const time = String(headers['x-amz-date']);
  const day = time.slice(0, 8);
  const place = `${day}/${keys.region}/${keys.service}/aws4_request`;
  if (scope !== `${keys.id}/${place}`) return `the scope is ${scope}`;
  const signed = names.split(';');
  for (const needed of ['host', 'x-amz-date']) if (!signed.includes(needed)) return `${needed} is not signed`;
  if (headers['x-amz-security-token'] && !signed.includes('x-amz-security-token')) return 'the session is not signed';
  const [plain = '', query = ''] = path.split('?');
  const canonical = [
    method,
    plain.split('/').map(encoded).join('/'),
    query,
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    sha(text),
  ].join('\n');
  const key = ['aws4_request', keys.service, keys.region, day].reduceRight<Buffer | string>(
    (from, part) => mac(from, part),
    `AWS4${keys.secret}`,
  );
  const right = mac(key, ['AWS4-HMAC-SHA256', time, place, sha(canonical)].join('\n')).toString('hex');
  return right === given ? undefined : 'the signature is wrong';
}
