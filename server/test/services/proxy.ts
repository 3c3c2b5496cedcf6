/** A proxy that a test has started, and a client that keeps its connections to it. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { eventually } from './eventually.ts';

export interface FrontProxy {
  origin: string;
  /** The folder of its files. */
  place: string;
  /** Over connections that are kept, as clients do. Resolves when the answer has ended. */
  post(path: string, body: string, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
  /** What it complained of. */
  said(): string;
  stop(): Promise<void>;
}

/** Waits until it listens. Its folder is removed when it stops. */
export async function startedProxy(child: ChildProcess, at: { origin: string; place: string }): Promise<FrontProxy> {
  let said = '';
  child.stderr?.on('data', (piece) => {
    said += piece;
  });
  const { Agent, request } = at.origin.startsWith('https:') ? https : http;
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true });
  const proxy: FrontProxy = {
    ...at,
    async post(path, body, headers = {}) {
      const call = request(at.origin + path, { method: 'POST', agent, headers });
      call.end(body);
      const [reply] = (await once(call, 'response')) as [http.IncomingMessage];
      let text = '';
      for await (const piece of reply.setEncoding('utf8')) text += piece;
      return { status: reply.statusCode ?? 0, text };
    },
    said: () => said,
    async stop() {
      agent.destroy();
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(at.place, { recursive: true, force: true });
    },
  };
  await eventually(() => proxy.post('/', '').catch(() => Promise.reject(new Error(`it does not listen: ${said}`))));
  return proxy;
}
