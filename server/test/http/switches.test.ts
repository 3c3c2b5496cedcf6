/** The fast path and the client of our own can be switched off; then Node's server and Node's client do their work. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig, readEnvironment, withEnvironment } from '../../src/config/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const HELLO = { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }] };

describe('switched off in the file', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      config: { settings: { lane: 'off', upstream_client: 'node' } },
      // Whatever this run of the suite has switched: the file decides where the environment says nothing.
      env: { DARGAH_LANE: '', DARGAH_UPSTREAM_CLIENT: '' },
    });
  });
  afterAll(() => gateway.stop());

  it("every answer is written by Node's server", async () => {
    const answer = await gateway.chat(HELLO);
    expect(answer.status).toBe(200);
    // The fast path never says how long it keeps a connection.
    expect(answer.headers.get('keep-alive')).toMatch(/^timeout=\d+$/);
  });

  it('streams, errors and large bodies are answered as ever', async () => {
    expect(await (await gateway.chat({ ...HELLO, stream: true })).text()).toMatch(/data: \[DONE\]\n\n$/);
    expect((await gateway.chat({ model: 'no/such' })).status).toBe(400);
    const long = { ...HELLO, messages: [{ role: 'user', content: 'long '.repeat(60_000) }] };
    expect((await gateway.chat(long)).status).toBe(200);
  });
});

describe('the switches', () => {
  const settingsOf = (text: string, env: Record<string, string> = {}) => {
    const { environment, mistakes } = readEnvironment(env);
    const config = withEnvironment(readConfig(text, env), environment);
    const { lane, upstreamClient } = config.settings;
    return { lane, upstreamClient, mistakes: [...mistakes, ...config.mistakes].map(({ path }) => path) };
  };

  it('are on without a word', () => {
    expect(settingsOf('{}')).toEqual({ lane: 'on', upstreamClient: 'own', mistakes: [] });
  });

  it('are read from the file, and the environment comes before it', () => {
    const file = 'settings:\n  lane: off\n  upstream_client: node\n';
    expect(settingsOf(file)).toEqual({ lane: 'off', upstreamClient: 'node', mistakes: [] });
    const env = { DARGAH_LANE: 'on', DARGAH_UPSTREAM_CLIENT: 'own' };
    expect(settingsOf(file, env)).toEqual({ lane: 'on', upstreamClient: 'own', mistakes: [] });
  });

  it('say what they may be', () => {
    const { mistakes } = settingsOf('settings:\n  lane: fast\n', {
      DARGAH_LANE: 'slow',
      DARGAH_UPSTREAM_CLIENT: 'undici',
    });
    expect(mistakes).toEqual(['DARGAH_LANE', 'DARGAH_UPSTREAM_CLIENT', 'settings.lane']);
  });
});
