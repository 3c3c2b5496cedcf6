/** Customers' own keys at providers, wired to the catalog, the secrets and the way out. */
import { type Gateway, trySecret } from '../gateway/index.ts';
import { createOwnKeys, type OwnKeys } from '../keys/index.ts';
import type { Foundation } from './foundation.ts';

/** Each key is registered when it is decrypted, so that log lines never contain it. */
export function ownSecretOpener({ secrets, registerSecret, log }: Foundation): (sealed: string) => string | undefined {
  return (sealed) => {
    try {
      const secret = secrets.open(sealed);
      registerSecret(secret);
      return secret;
    } catch {
      log.error({}, 'an own key of a customer cannot be opened with this master key; its owner must set it again');
      return undefined;
    }
  };
}

export function ownKeysOf(base: Foundation, gw: Gateway): OwnKeys {
  const { clock, transport, environment, secrets, registerSecret } = base;
  const providerOf = (id: string) => gw.catalog.current().providers.get(id);
  return createOwnKeys({
    ...base.tools,
    secrets,
    takes: (id) => gw.settings.ownKeys && providerOf(id)?.takesOwnKeys === true,
    async tryKey(id, secret) {
      registerSecret(secret);
      const provider = providerOf(id);
      if (provider === undefined) return 'unreachable';
      return trySecret(provider, secret, { clock, transport, environment: environment.egress });
    },
  });
}
