/** Signed calls: what goes out, how long a token lives, and what happens when one is refused. */
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { normalCredential, readAwsKeys, secretPartsOf } from '../../../src/core/cloud-credentials.ts';
import { Cancellation, TransportError, type UpstreamCall, withSigning } from '../../../src/platform/upstream/index.ts';
import type { UpstreamReply } from '../../../src/platform/upstream/port.ts';
import { wrongSignature } from '../../clouds/aws-check.ts';
import { SteppedClock } from '../../harness/stepped-clock.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const ACCOUNT = JSON.stringify({
  type: 'service_account',
  project_id: 'my-project',
  private_key_id: 'key-id-1234567890',
  client_email: 'gateway@my-project.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
});
const MINUTE = 60_000;

interface Answer {
  status?: number;
  text?: string;
  headers?: Record<string, string>;
}

let clock: SteppedClock;
let sent: UpstreamCall[];
let warnings: object[];
let released: number;
/** What is answered, tokens apart. */
let answer: (call: UpstreamCall) => Answer;
let giveToken: () => Answer | Promise<Answer>;
let given: number;

beforeEach(() => {
  clock = new SteppedClock();
  sent = [];
  warnings = [];
  released = 0;
  given = 0;
  answer = () => ({});
  giveToken = () => ({ text: JSON.stringify({ access_token: `t${++given}`, expires_in: 3_600 }) });
});

function replyOf({ status = 200, text = '', headers = {} }: Answer): UpstreamReply {
  return {
    status,
    headers,
    header: (name) => headers[name],
    read: async () => null,
    text: () => text,
    excerpt: async () => text,
    markFirstEvent: () => undefined,
    pace: () => undefined,
    release: () => void released++,
    abort: () => undefined,
  };
}

function transport() {
  const inner = {
    async send(call: UpstreamCall) {
      sent.push(call);
      return replyOf(await (call.url.endsWith('/token') ? giveToken() : answer(call)));
    },
    close: async () => undefined,
  };
  return withSigning(inner, { clock, log: { warn: (fields: object) => void warnings.push(fields) } as never });
}

function call(more: Partial<UpstreamCall> = {}): UpstreamCall {
  const limits = { connectMs: 1, headersMs: 1, idleMs: 1 };
  const signing = { scheme: 'google-service-account', secret: ACCOUNT, region: undefined } as const;
  const headers = { 'content-type': 'application/json' };
  return {
    pool: 'vx',
    url: 'https://aiplatform.googleapis.com/x',
    method: 'POST',
    headers,
    body: '{}',
    signing,
    ...limits,
    ...more,
  };
}

const tokensAsked = () => sent.filter(({ url }) => url.endsWith('/token'));
const bearers = () => sent.filter(({ url }) => !url.endsWith('/token')).map(({ headers }) => headers['authorization']);

describe('a token', () => {
  it('is asked for with an assertion that the account’s own key signs, the provider’s way out', async () => {
    const egress = { key: 'proxy' } as never;
    await transport().send(call({ egress }));
    const [asked] = tokensAsked();
    expect(asked).toMatchObject({ url: TOKEN_URL, egress, method: 'POST' });
    const form = new URLSearchParams(String(asked?.body));
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    expect(createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url')).toBe(true);
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
      alg: 'RS256',
      typ: 'JWT',
      kid: 'key-id-1234567890',
    });
    const iat = Math.floor(clock.now() / 1000);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: 'gateway@my-project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: TOKEN_URL,
      iat,
      exp: iat + 3_600,
    });
    const [question] = sent.filter(({ url }) => url !== TOKEN_URL);
    expect(question?.headers['authorization']).toBe('Bearer t1');
    expect(question?.signing).toBeUndefined();
  });

  it('is fetched once for all who wait, kept, and renewed before it ends without anybody waiting', async () => {
    const signed = transport();
    await Promise.all([signed.send(call()), signed.send(call()), signed.send(call())]);
    clock.move(54 * MINUTE);
    await signed.send(call());
    expect(tokensAsked()).toHaveLength(1);
    let open: (answer: Answer) => void = () => undefined;
    giveToken = () =>
      new Promise((resolve) => {
        open = resolve;
      });
    clock.move(2 * MINUTE);
    // The renewal hangs, and requests go on with the token that is still good.
    await Promise.all([signed.send(call()), signed.send(call())]);
    expect(tokensAsked()).toHaveLength(2);
    open({ text: JSON.stringify({ access_token: 'renewed', expires_in: '3600' }) });
    await new Promise((resolve) => setImmediate(resolve));
    await signed.send(call());
    expect(bearers()).toEqual([...Array(6).fill('Bearer t1'), 'Bearer renewed']);
  });

  it('that is over is not sent, and one that is refused is renewed once', async () => {
    const signed = transport();
    await signed.send(call());
    clock.move(61 * MINUTE);
    await signed.send(call());
    expect(bearers()).toEqual(['Bearer t1', 'Bearer t2']);
    answer = ({ headers }) => ({ status: headers['authorization'] === 'Bearer t2' ? 401 : 200 });
    const [one, two] = await Promise.all([signed.send(call()), signed.send(call())]);
    expect([one?.status, two?.status]).toEqual([200, 200]);
    expect(tokensAsked()).toHaveLength(3);
    expect(released).toBe(2);
    answer = () => ({ status: 401 });
    expect((await signed.send(call())).status).toBe(401);
    // Asked twice, with two tokens, and no third time.
    expect(bearers().slice(-2)).toEqual(['Bearer t3', 'Bearer t4']);
  });

  it('that nobody gives out is the credential’s failure, and is not asked for again at once', async () => {
    giveToken = () => ({
      status: 400,
      text: '{"error":"invalid_grant","error_description":"Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."}',
    });
    const signed = transport();
    const failures = await Promise.all([1, 2].map(() => signed.send(call()).catch((error: unknown) => error)));
    const again = await signed.send(call()).catch((error: unknown) => error);
    for (const error of [...failures, again]) {
      expect(error).toBeInstanceOf(TransportError);
      expect((error as TransportError).failure).toMatchObject({
        kind: 'credential',
        code: 'token_refused',
        status: 400,
      });
      expect((error as TransportError).message).toContain('clock of this machine');
    }
    expect(tokensAsked()).toHaveLength(1);
    clock.move(6_000);
    giveToken = () => ({ text: '{"access_token":"late","expires_in":60}' });
    await signed.send(call());
    expect(bearers()).toEqual(['Bearer late']);
  });

  it('is not waited for by a request that nobody wants any more', async () => {
    giveToken = () => new Promise(() => undefined);
    const cancellation = new Cancellation();
    const sending = transport().send(call({ cancellation }));
    cancellation.cancel('client gone');
    await expect(sending).rejects.toMatchObject({ failure: { code: 'aborted' } });
  });

  it('is not made with a key that cannot be read, and the error does not quote it', async () => {
    const secret = JSON.stringify({
      client_email: 'a@b',
      private_key: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----',
    });
    const error = await transport()
      .send(call({ signing: { scheme: 'google-service-account', secret, region: undefined } }))
      .catch((thrown: unknown) => thrown);
    expect((error as TransportError).failure).toMatchObject({ kind: 'credential', code: 'credential_unusable' });
    expect(String(error)).not.toContain('c2VjcmV0');
  });
});

describe('a signature of Amazon', () => {
  const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
  const aws = (more: object = {}) =>
    JSON.stringify({ access_key_id: 'AKIDEXAMPLE', secret_access_key: SECRET, ...more });

  it.each([
    [
      'https://bedrock-runtime.eu-central-1.amazonaws.com/model/anthropic.claude-v1%3A0/invoke',
      undefined,
      'eu-central-1',
      'bedrock',
    ],
    ['https://bedrock-mantle.us-east-2.api.aws/anthropic/v1/messages', undefined, 'us-east-2', 'bedrock-mantle'],
    [
      'https://vpce-1.bedrock-runtime.us-gov-west-1.vpce.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus%3A1%3Ax%2Fy/converse',
      undefined,
      'us-gov-west-1',
      'bedrock',
    ],
    ['https://bedrock.inside.example:8443/model/x/converse-stream', 'me-central-1', 'me-central-1', 'bedrock'],
  ])('of %s is right by Amazon’s own description', async (url, region, signedRegion, service) => {
    for (const more of [{}, { session_token: 'session/token+1=' }]) {
      const body = JSON.stringify({ messages: [{ content: 'سلام' }] });
      await transport().send(call({ url, body, signing: { scheme: 'aws-sigv4', secret: aws(more), region } }));
      const { headers } = sent.at(-1) ?? { headers: {} };
      const path = url.slice(url.indexOf('/', 8));
      const asked = { method: 'POST', path, text: body, headers: { ...headers, host: new URL(url).host } };
      const keys = { id: 'AKIDEXAMPLE', secret: SECRET, region: signedRegion, service };
      expect(wrongSignature(asked, keys)).toBeUndefined();
      expect(wrongSignature({ ...asked, text: `${body} ` }, keys)).toBe('the signature is wrong');
      expect(JSON.stringify(headers)).not.toContain(SECRET);
      expect(headers).toMatchObject({ 'content-type': 'application/json' });
    }
  });

  it('is not asked for again, and a clock that is off is told to the operator', async () => {
    answer = () => ({ status: 403, headers: { date: new Date(clock.now() - 10 * MINUTE).toUTCString() } });
    await transport().send(call({ signing: { scheme: 'aws-sigv4', secret: aws(), region: undefined } }));
    expect(sent).toHaveLength(1);
    expect(warnings).toEqual([{ provider: 'vx', secondsOff: expect.closeTo(600, -1) }]);
    answer = () => ({ status: 403, headers: { date: new Date(clock.now()).toUTCString() } });
    await transport().send(call({ signing: { scheme: 'aws-sigv4', secret: aws(), region: undefined } }));
    expect(warnings).toHaveLength(1);
  });
});

it('a call without a signature passes as it is', async () => {
  const plain = call({ signing: undefined });
  await transport().send(plain);
  expect(sent[0]).toBe(plain);
});

describe('a credential of several parts', () => {
  it('is kept as one line, however it was written', () => {
    const pair = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
    const kept = normalCredential('aws-sigv4', `  ${pair}\n`) ?? '';
    expect(JSON.parse(kept)).toEqual({ access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: pair.split(':')[1] });
    expect(normalCredential('aws-sigv4', kept)).toBe(kept);
    const file = JSON.stringify(JSON.parse(ACCOUNT), null, 2);
    expect(normalCredential('google-service-account', file)).not.toMatch(/[^\x20-\x7e]/);
    expect(readAwsKeys('{"AccessKeyId":"a","SecretAccessKey":"b","SessionToken":"c"}')?.sessionToken).toBe('c');
  });

  it.each([
    ['aws-sigv4', 'ABSKbearer'],
    ['aws-sigv4', '{"access_key_id":"a"}'],
    ['google-service-account', '{"client_email":"a@b","private_key":"none"}'],
    ['google-service-account', 'not json'],
    ['google-service-account', '{"client_email":"a@b","private_key":"PRIVATE KEY","token_uri":"file:///etc/passwd"}'],
    ['entra', '{"tenant_id":"t","client_id":"c"}'],
  ] as const)('of %s is not %s', (scheme, secret) => {
    expect(normalCredential(scheme, secret)).toBeUndefined();
  });

  it('has every secret part named, and nothing else', () => {
    const parts = secretPartsOf(normalCredential('google-service-account', ACCOUNT) ?? '');
    expect(parts.join('\n')).toContain('PRIVATE KEY');
    expect(parts).not.toContain('gateway@my-project.iam.gserviceaccount.com');
    expect(secretPartsOf('{"access_key_id":"AKIA","secret_access_key":"hidden"}')).toContain('hidden');
    expect(secretPartsOf('sk-1')).toEqual(['sk-1']);
  });
});
