import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/platform/telemetry/index.ts';

function capture() {
  const lines: string[] = [];
  const process = createLog({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
  return { ...process, lines };
}

describe('the log hides what must not leave the process', () => {
  it.each([
    ['an api key in a message', 'key dg-abcdefGHIJ0123456789 was used'],
    ['a management key in a message', 'key dgm-abcdefGHIJ0123456789 was used'],
    ['an operator token in a message', 'token dgo-abcdefGHIJ0123456789 was used'],
    ['a vendor key in a message', 'sent sk-proj-ABCdef0123456789_xyz upstream'],
    ['a bearer header in a message', 'header was Bearer eyJhbGciOi.abc-def_123'],
    ['a Google key', 'AIzaSyA-0123456789abcdefghijklmnopqrs'],
  ])('%s', (_name, message) => {
    const { log, lines } = capture();
    log.info({ requestId: 'req_1', detail: message, error: new Error(message) }, message);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('req_1');
    expect(lines[0]).not.toMatch(/ABCdef0123|abcdefGHIJ|eyJhbGciOi|SyA-0123456789/);
  });

  it('registered secrets of any shape, also when JSON escapes them', () => {
    const { log, lines, registerSecret } = capture();
    registerSecret('correct "horse" battery');
    registerSecret('horse-tail-42');
    log.warn({ cause: 'login with correct "horse" battery failed' }, 'and horse-tail-42 too');
    expect(lines.join('')).not.toMatch(/battery|tail/);
  });

  it('fields that carry prompts or credentials', () => {
    const { log, lines } = capture();
    log.info(
      {
        body: { messages: [{ role: 'user', content: 'my diary' }] },
        request: { messages: ['my diary'], headers: { authorization: 'plain-token', 'x-api-key': 'plain-token' } },
        content: 'my diary',
      },
      'request',
    );
    expect(lines.join('')).not.toMatch(/diary|plain-token/);
  });

  it('leaves ordinary lines alone', () => {
    const { log, lines } = capture();
    log.info({ requestId: 'req_2', model: 'openai/gpt-5', durationMs: 12 }, 'request finished');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      requestId: 'req_2',
      model: 'openai/gpt-5',
      durationMs: 12,
      msg: 'request finished',
    });
  });
});
