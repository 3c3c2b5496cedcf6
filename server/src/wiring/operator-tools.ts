/** What the operator's own endpoints are given of the running service. */
import { type Gateway, modelsOfProvider, testProvider } from '../gateway/index.ts';
import type { OperatorTools } from '../http/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Foundation } from './foundation.ts';

export function operatorTools(base: Foundation, gw: Gateway): OperatorTools {
  const { clock, transport, environment, masterKeys, db } = base;
  const record = createChangeRecorder(base.tools, 'secrets');
  return {
    async testProvider(id) {
      // Reads the catalog first, so that a provider changed a moment ago is tested as it is now.
      await base.catalog.reload();
      const { providers, models } = gw.catalog.current();
      const provider = providers.get(id);
      if (!provider) return undefined;
      const routes = [...models.values()].flatMap((model) => model.routes);
      const names = routes.filter((route) => route.provider.id === id).map((route) => route.upstreamModel);
      return testProvider(provider, [...new Set(names)], { clock, transport, environment: environment.egress });
    },
    async modelsOf(id) {
      await base.catalog.reload();
      const provider = gw.catalog.current().providers.get(id);
      // A provider that is off or has no key cannot be asked, and one inside this process has nothing to report.
      if (provider?.transport !== 'http') return { names: null, problem: null };
      const tools = { clock, transport, environment: environment.egress };
      const { unlisted, problem } = await modelsOfProvider(provider, [], tools);
      return { names: problem === null ? unlisted : null, problem };
    },
    async providerModels() {
      const { providers, models } = gw.catalog.current();
      const routes = [...models.values()].flatMap((model) => model.routes);
      const asked = [...providers.values()].filter((provider) => provider.transport === 'http');
      return Promise.all(
        asked.map((provider) => {
          const names = routes.filter((route) => route.provider.id === provider.id).map((route) => route.upstreamModel);
          return modelsOfProvider(provider, [...new Set(names)], { clock, transport, environment: environment.egress });
        }),
      );
    },
    egresses: () => transport.egressHealth(),
    async rotateSecrets(actor) {
      const done = await masterKeys.rotate();
      await db.transaction((tx) => record(tx, actor, 'secrets.rotate', 'master key', { ...done }));
      return done;
    },
  };
}
