/** `/api/console/privacy`: the list of privacy/kept-things.ts with the settings of the account and its keys. */
import { getPrivacy } from '@dargah/api/console/privacy.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { AccountService } from '../../accounts/index.ts';
import type { KeyService } from '../../keys/index.ts';
import { type KeptTerms, type KeptThing, keptThings, textsUntil, untilText } from '../../privacy/index.ts';
import type { Register } from '../routes/register.ts';

export interface PrivacyServices {
  accounts: AccountService;
  keys: KeyService;
  kept: KeptTerms;
}

export function privacyRoutes(register: Register, { accounts, keys, kept }: PrivacyServices): void {
  register(getPrivacy, async ({ who }) => {
    const account = await accounts.get(who.accountId);
    const differing = await keys.withOwnLogging(who.accountId);
    return {
      object: 'privacy',
      data: keptThings(kept, account).map(thingView),
      keys: differing.map(({ id, name, logPrompts }) => ({
        id,
        name,
        ...untilView(textsUntil(kept.promptLogMaxDays, { logPrompts })),
      })),
    };
  });
}

function untilView(until: KeptThing['until']) {
  return { until: untilText(until), kept_ms: 'ms' in until ? until.ms : null };
}

function thingView(thing: KeptThing): ResultOf<typeof getPrivacy>['data'][number] {
  const { id, title, what, until, where, readers, atClosing, decides, path } = thing;
  const place = until.by === 'nothing' ? 'nowhere' : where;
  return { id, title, what, ...untilView(until), where: place, readers, at_closing: atClosing, decides, path };
}
