/** Amazon's signature (SigV4) over one request to its models. */
import aws4 from 'aws4';
import { readAwsKeys } from '../../../core/cloud-credentials.ts';

export interface ToSign {
  url: string;
  method: string;
  contentType: string | undefined;
  body: string | Uint8Array | undefined;
  /** Set where the address does not name it, as inside a private network. */
  region: string | undefined;
  nowMs: number;
}

const USUAL_REGION = 'us-east-1';
const SERVICE = 'bedrock';
/** `bedrock-runtime.eu-central-1.amazonaws.com`, `bedrock-mantle.us-east-2.api.aws`, and those of private networks before them. */
const HOST =
  /(?:^|\.)(bedrock(?:-[a-z]{1,20})?)(?:-fips)?\.([a-z]{2}(?:-[a-z]{1,20}){1,3}-\d)\.(?:vpce\.)?(?:amazonaws\.com|api\.aws)/;

/** The headers to add; undefined when the secret is no access key. */
export function awsSignature(secret: string, call: ToSign): Record<string, string> | undefined {
  const keys = readAwsKeys(secret);
  if (!keys) return undefined;
  const { host } = new URL(call.url);
  // Signed as it is sent: the path must be encoded once, and Amazon encodes it again in what it signs.
  const path = call.url.slice(call.url.indexOf('/', call.url.indexOf('://') + 3));
  const [, endpoint, region] = HOST.exec(host) ?? [];
  const date = new Date(call.nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  // Only what nothing on the way changes is signed, because proxies may add headers.
  const signed = aws4.sign(
    {
      host,
      path,
      method: call.method,
      service: endpoint === 'bedrock-mantle' ? endpoint : SERVICE,
      region: call.region ?? region ?? USUAL_REGION,
      headers: {
        host,
        'x-amz-date': date,
        ...(call.contentType !== undefined && { 'content-type': call.contentType }),
        ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
      },
      body: call.body ?? '',
      extraHeadersToIgnore: { 'content-length': true },
    },
    { accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey },
  );
  return {
    'x-amz-date': date,
    authorization: signed.headers['Authorization'] as string,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
}
