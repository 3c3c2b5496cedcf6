/** People, the messages to them, and their settings. */

import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/index.ts';
import type { Text } from '@dargah/core/text.ts';
import type { ProcessEnvironment } from '../config/index.ts';
import type { Json } from '../core/json.ts';
import { money, parseToman, ZERO } from '../core/money.ts';
import type { GatewaySettings } from '../gateway/index.ts';
import { CarrierReach } from '../messages/index.ts';
import { createPeople, type LivePeopleSettings, type PasswordWork } from '../people/index.ts';
import type { Foundation } from './foundation.ts';
import { openMessenger } from './messenger.ts';

const MESSAGES_PER_DAY = LIVE_SETTING_FIELDS.messages_per_day.initial;

interface PeopleParts {
  requestPath: Pick<GatewaySettings, 'suppliersShown'>;
  brand: () => Text;
  passwordWork: PasswordWork | undefined;
}

export async function openPeople(
  base: Foundation,
  environment: ProcessEnvironment,
  say: (line: string) => void,
  { requestPath, brand, passwordWork }: PeopleParts,
) {
  const settings: LivePeopleSettings = {
    registration: 'open',
    welcomeCredit: ZERO,
    welcomePerNetworkDaily: 20,
    isProduction: environment.production,
    staffSecondFactor: false,
    operatorTokens: true,
    suppliersShown: false,
    listPricesShown: false,
    messagesPerDay: MESSAGES_PER_DAY,
  };
  const follow = (stored: ReadonlyMap<string, Json>) => {
    applyPeopleSettings(settings, stored);
    if (settings.isProduction) settings.staffSecondFactor = true;
    base.operators.enabled = settings.operatorTokens;
    requestPath.suppliersShown = settings.suppliersShown;
  };
  const followSettings = async () => follow(await base.settings.all());
  follow(await base.settings.atStart());
  base.settings.watch(() => base.background.detach(followSettings(), 'settings of people'));
  const reach = new CarrierReach(base.clock);
  const { messenger, carriers } = await openMessenger(base, environment, say, reach);
  const people = createPeople({ ...base.tools, background: base.background, messenger, settings, brand, passwordWork });
  return { people, messenger, carriers, carrierReach: reach, followSettings };
}

/** The stored value, or the default where it has the wrong form. */
function applyPeopleSettings(settings: LivePeopleSettings, stored: ReadonlyMap<string, Json>): void {
  const registration = stored.get('registration');
  settings.registration = registration === 'invitation' || registration === 'closed' ? registration : 'open';
  const credit = stored.get('welcome_credit');
  const amount = typeof credit === 'string' || typeof credit === 'number' ? parseToman(credit) : undefined;
  settings.welcomeCredit = amount !== undefined && amount > 0n ? money(amount) : ZERO;
  settings.staffSecondFactor = stored.get('staff_second_factor') === true;
  settings.operatorTokens = stored.get('operator_tokens') !== false;
  const perDay = stored.get('messages_per_day');
  settings.messagesPerDay = typeof perDay === 'number' && perDay > 0 ? perDay : MESSAGES_PER_DAY;
  settings.suppliersShown = stored.get('suppliers_shown') === true;
  settings.listPricesShown = stored.get('list_prices_shown') === true;
}
