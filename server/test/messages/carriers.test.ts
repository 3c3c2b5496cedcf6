/** The carriers of messages against scriptable fakes of their servers, faults included. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CarryFailure,
  createKavenegar,
  createMessenger,
  createSmsIr,
  createSmtp,
  type MessageCarrier,
  type OutgoingMessage,
  type PostText,
} from '../../src/messages/index.ts';
import { createBackground } from '../../src/platform/background.ts';
import { eventually } from '../services/eventually.ts';
import { recordedLog } from '../services/silent-log.ts';

interface Script {
  status: number;
  body: string;
}

let server: Server;
let origin: string;
let script: Script;
let seen: { url: string; headers: IncomingMessage['headers']; body: string }[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(script.status, { 'content-type': 'application/json' }).end(script.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  seen = [];
});

const post: PostText = async ({ url, headers, body }) => {
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
};
const message: OutgoingMessage = {
  channel: 'sms',
  to: '09121234567',
  kind: 'code',
  subject: '',
  text: 'code 123456',
  code: '123456',
  language: 'fa',
};

async function failure(carrier: MessageCarrier): Promise<CarryFailure> {
  return carrier.carry(message).then(
    () => Promise.reject(new Error('it was carried')),
    (error: CarryFailure) => error,
  );
}

describe('Kavenegar', () => {
  const carrier = () => createKavenegar({ apiKey: 'SECRET-IN-PATH', template: 'login', origin, post });
  it('sends a code by its template and takes only its own status for success', async () => {
    script = { status: 200, body: '{"return":{"status":200,"message":"ok"},"entries":[{"messageid":1}]}' };
    await carrier().carry(message);
    expect(seen[0]?.url).toBe('/v1/SECRET-IN-PATH/verify/lookup.json');
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.body))).toEqual({
      receptor: '09121234567',
      token: '123456',
      template: 'login',
    });
    script = { status: 200, body: '{"return":{"status":418,"message":"no credit"}}' };
    expect((await failure(carrier())).retry).toBe(false);
  });

  it.each([
    ['an overload', { status: 503, body: '' }, true],
    ['a page instead of JSON', { status: 200, body: '<html>' }, true],
    ['a missing template', { status: 424, body: '{"return":{"status":424}}' }, false],
  ])('tells %s apart and never names its key', async (_name, scripted, retry) => {
    script = scripted;
    const error = await failure(carrier());
    expect(error.retry).toBe(retry);
    expect(`${error.message} ${error.stack}`).not.toContain('SECRET-IN-PATH');
    const away = createKavenegar({ apiKey: 'SECRET-IN-PATH', template: 'login', origin: 'http://127.0.0.1:1', post });
    expect(`${await failure(away)}`).not.toContain('SECRET-IN-PATH');
  });
});

describe('sms.ir', () => {
  const carrier = () => createSmsIr({ apiKey: 'k', templateId: 77, origin, post });
  it('sends a code by its template', async () => {
    script = { status: 200, body: '{"status":1,"data":{"messageId":5}}' };
    await carrier().carry(message);
    expect([seen[0]?.url, seen[0]?.headers['x-api-key']]).toEqual(['/v1/send/verify', 'k']);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      mobile: '09121234567',
      templateId: 77,
      parameters: [{ name: 'CODE', value: '123456' }],
    });
  });

  it.each([
    [{ status: 200, body: '{"status":0}' }, true],
    [{ status: 401, body: '{"status":0}' }, false],
    [{ status: 429, body: '' }, true],
    [{ status: 500, body: 'x' }, true],
  ])('takes %j for a failure', async (scripted, retry) => {
    script = scripted;
    expect((await failure(carrier())).retry).toBe(retry);
  });
});

describe('SMTP', () => {
  it('hands the message over, and tells a refusal from an absence', async () => {
    const mails: string[] = [];
    const smtp = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onRcptTo: ({ address }, _session, done) =>
        address === 'gone@example.com' ? done(Object.assign(new Error('no such user'), { responseCode: 550 })) : done(),
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          mails.push(Buffer.concat(chunks).toString());
          done();
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.server.address() as AddressInfo;
    const carrier = createSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'Dargah <no-reply@example.com>' });
    const mail: OutgoingMessage = { ...message, channel: 'email', to: 'sara@example.com', subject: 'Code' };
    await carrier.carry(mail);
    expect(mails[0]).toContain('Subject: Code');
    expect(mails[0]).toContain('code 123456');
    const gone = await carrier.carry({ ...mail, to: 'gone@example.com' }).catch((error: CarryFailure) => error);
    expect(gone).toMatchObject({ retry: false });
    carrier.close();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
    const away = await createSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'a@example.com' })
      .carry(mail)
      .catch((error: CarryFailure) => error);
    expect(away).toMatchObject({ retry: true });
  });
});

describe('the messenger', () => {
  const stage = (...outcomes: ('ok' | 'later' | 'never')[]) => {
    const log = recordedLog();
    const background = createBackground(log);
    const carried: string[] = [];
    const carriers = outcomes.map((outcome, index): MessageCarrier => {
      const name = 'abc'[index] as string;
      const carry = async () => {
        carried.push(name);
        if (outcome !== 'ok') throw new CarryFailure(name, 'scripted', outcome === 'later');
      };
      return { name, channel: 'sms', carry };
    });
    const messenger = createMessenger({ carriers: () => carriers, background, log });
    return { messenger, background, carried, log };
  };

  it.each(['later', 'never'] as const)('asks the next carrier when one fails (%s)', async (outcome) => {
    const { messenger, background, carried, log } = stage(outcome, 'ok');
    messenger.send(message);
    await background.drain(60_000);
    expect(carried).toEqual(['a', 'b']);
    expect(JSON.stringify(log.lines)).not.toContain('123456');
  });

  it('asks later only those that may take it then', async () => {
    const { messenger, background, carried } = stage('never', 'later');
    messenger.send(message);
    await eventually(async () => expect(carried.length).toBeGreaterThan(2));
    await background.drain(60_000);
    expect(carried.slice(0, 3)).toEqual(['a', 'b', 'b']);
  });

  it('tells who waits for it how it ended, after one round', async () => {
    const taken = stage('never', 'ok');
    await taken.messenger.deliver(message);
    expect(taken.carried).toEqual(['a', 'b']);
    const refused = stage('later', 'never');
    await expect(refused.messenger.deliver(message)).rejects.toThrow('b: scripted');
    expect(refused.carried).toEqual(['a', 'b']);
    await expect(stage().messenger.deliver(message)).rejects.toThrow('nobody carries sms');
  });

  it('sends by sms.ir what Kavenegar has no credit for', async () => {
    script = { status: 200, body: '{"return":{"status":418},"status":1}' };
    const carriers = [
      createKavenegar({ apiKey: 'k', template: 'login', origin, post }),
      createSmsIr({ apiKey: 'k', templateId: 77, origin, post }),
    ];
    const log = recordedLog();
    const background = createBackground(log);
    createMessenger({ carriers: () => carriers, background, log }).send(message);
    await background.drain(60_000);
    expect(seen.map(({ url }) => url)).toEqual(['/v1/k/verify/lookup.json', '/v1/send/verify']);
  });
});
