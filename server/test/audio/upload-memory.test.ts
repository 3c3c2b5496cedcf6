/** A file of 25 MB goes through the gateway without ever being in its memory; client and provider hold none of it either. @process own */
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { uploadsLeft } from './audio-gateway.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 25 * MIB;
/** Socket buffers of four ends, the file's ends, and what the collector has not seen yet. */
const ALLOWED_BYTES = 12 * MIB;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let gateway: TestGateway;
let provider: Server;
let receivedBytes = 0;
let sample: () => void = () => undefined;

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      sample();
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"text":"long"}');
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  gateway = await startGateway({
    config: {
      providers: [{ id: 'p', protocol: 'openai-chat', base_url: address, api_key: 'k' }],
      models: [
        { id: 'mock/chat', routes: [{ provider: 'p', model: 'c' }], price: { input: 1, output: 1 } },
        { id: 'mock/stt', kind: 'transcription', routes: [{ provider: 'p', model: 's' }], price: { seconds: 1 } },
      ],
      groups: [],
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  provider.closeAllConnections();
  provider.close();
});

it('stays small in memory', async () => {
  const chunk = Buffer.alloc(64 * 1024, 1);
  const before = Buffer.from(
    '--b0\r\nContent-Disposition: form-data; name="file"; filename="long.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n',
  );
  const after = Buffer.from('\r\n--b0\r\nContent-Disposition: form-data; name="model"\r\n\r\nmock/stt\r\n--b0--\r\n');
  collect();
  const baseline = process.memoryUsage().arrayBuffers;
  let peak = 0;
  let calls = 0;
  sample = () => {
    // A full collection takes long on a busy machine; one per megabyte and a half is enough to see 25 of them pile up.
    if (++calls % 48 !== 0) return;
    collect();
    // What a collection found dead is given back on another thread, late on a busy machine; the next one waits for it.
    collect();
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - baseline);
  };
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sending = httpRequest(`${gateway.baseUrl}/audio/transcriptions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'multipart/form-data; boundary=b0',
        'content-length': before.length + FILE_BYTES + after.length,
      },
    });
    sending.on('error', reject);
    sending.on('response', (response) => {
      let text = '';
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    const send = async () => {
      sending.write(before);
      for (let sent = 0; sent < FILE_BYTES; sent += chunk.length) {
        sample();
        if (!sending.write(chunk)) await new Promise((drained) => sending.once('drain', drained));
      }
      sending.end(after);
    };
    send().catch(reject);
  });
  expect(answer.status, answer.text).toBe(200);
  expect(receivedBytes).toBeGreaterThan(FILE_BYTES);
  expect(calls).toBeGreaterThan(100);
  expect(peak).toBeLessThan(ALLOWED_BYTES);
  expect(await uploadsLeft(gateway)).toEqual([]);
}, 120_000);
