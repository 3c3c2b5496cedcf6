/** What the tests of all clouds share: a fake cloud, a gateway whose providers live there, and one account with a key. */
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { type FakeCloud, startFakeCloud } from './fake-cloud.ts';

export interface CloudGateway {
  cloud: FakeCloud;
  gateway: TestGateway;
  stop(): Promise<void>;
}

export async function startBehindCloud(configOf: (cloud: FakeCloud) => object): Promise<CloudGateway> {
  const cloud = await startFakeCloud();
  const keys = [{ id: 'main', key: 'dg-test-main' }];
  const accounts = [{ id: 'acme', balance: 100_000, rules: { upstream_echo: true }, keys }];
  const config = { groups: [], accounts, ...configOf(cloud) };
  const gateway = await startGateway({ config });
  return {
    cloud,
    gateway,
    stop: async () => {
      await gateway.stop();
      await cloud.stop();
    },
  };
}

export const postJson = (gateway: TestGateway, path: string, body: object, headers: Record<string, string> = {}) =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
