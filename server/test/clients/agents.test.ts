/** The Agents SDK runs a whole tool loop by itself, over both of its protocols, against every upstream protocol. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { seenByVendor } from './seen-by-vendor.ts';

const MODELS = ['mock/chat', 'mock/claude', 'mock/responses', 'mock/gemini'];
const CITIES = ['Yazd', 'Tehran'];

let gateway: TestGateway;
beforeAll(async () => {
  // It would send traces to its maker.
  setTracingDisabled(true);
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

function runnerWith(useResponses: boolean): Runner {
  const modelProvider = new OpenAIProvider({ baseURL: gateway.baseUrl, apiKey: gateway.key, useResponses });
  return new Runner({ modelProvider, tracingDisabled: true });
}

function weatherman(model: string, asked: string[]): Agent {
  const weather = tool({
    name: 'weather',
    description: 'Tells the weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    strict: true,
    execute: async (given) => {
      const { city } = given as { city: string };
      asked.push(city);
      return `sunny in ${city}`;
    },
  });
  return new Agent({ name: 'weatherman', model, tools: [weather] });
}

describe.each([
  ['responses', true],
  ['chat completions', false],
])('@openai/agents, %s', (_name, useResponses) => {
  describe.each(MODELS)('%s', (model) => {
    it.each([false, true])('completes a loop of two calls (streamed: %s)', async (stream) => {
      const toolCalls = CITIES.map((city, i) => ({
        id: `call_${i}`,
        name: 'weather',
        arguments: JSON.stringify({ city }),
      }));
      gateway.vendor.next(answer({ toolCalls }), answer('Sunny everywhere.'));
      const asked: string[] = [];
      const runner = runnerWith(useResponses);
      const agent = weatherman(model, asked);
      let said: unknown;
      if (stream) {
        const result = await runner.run(agent, 'Weather?', { stream: true });
        await result.completed;
        said = result.finalOutput;
      } else {
        said = (await runner.run(agent, 'Weather?')).finalOutput;
      }
      expect(said).toBe('Sunny everywhere.');
      expect(asked.toSorted()).toEqual(CITIES.toSorted());
      const { results } = seenByVendor(await gateway.vendor.received(1));
      CITIES.forEach((city, i) => {
        expect(results[i]?.text).toContain(`sunny in ${city}`);
      });
    });

    it('reports a stream that was cut', async () => {
      gateway.vendor.next(faults.cutAfter(5, 'reset', { text: 'A long answer that is never finished.', pieces: 7 }));
      const result = await runnerWith(useResponses).run(weatherman(model, []), 'Weather?', { stream: true });
      await expect(result.completed).rejects.toThrow();
    });
  });
});
