/** People, the messages to them, and the settings they live by. */

import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/index.ts';
import type { Text } from '@dargah/core/text.ts';
import type { ProcessEnvironment } from '../config/index.ts';
import type { Json } from '../core/json.ts';
import { money, parseToman, ZERO } from '../core/money.ts';
import type { GatewaySettings } from '../gateway/index.ts';
import {
  CarrierReach,
  createKavenegar,
  createMessenger,
  createSandboxMessenger,
  createSmsIr,
  createSmtp,
  type MessageCarrier,
  type Messenger,
  type PostText,
} from '../messages/index.ts';
import { createPeople, type LivePeopleSettings, type PasswordWork } from '../people/index.ts';
import type { UpstreamTransport } from '../platform/upstream/index.ts';
import type { Foundation } from './foundation.ts';

const MESSAGES_PER_DAY = LIVE_SETTING_FIELDS.messages_per_day.initial;
const SMS_TIMEOUT_MS = 15_000;
const MAX_REPLY_BYTES = 64 * 1024;

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
    messagesPerDay: MESSAGES_PER_DAY,
  };
  const follow = async () => {
    applyPeopleSettings(settings, await base.settings.all());
    if (settings.isProduction) settings.staffSecondFactor = true;
    base.operators.enabled = settings.operatorTokens;
    requestPath.suppliersShown = settings.suppliersShown;
  };
  await follow();
  base.settings.watch(() => base.background.detach(follow(), 'settings of people'));
  const carriers = new CarrierReach(base.clock);
  const messenger = openMessenger(base, environment, say, carriers);
  const people = createPeople({ ...base.tools, background: base.background, messenger, settings, brand, passwordWork });
  return { people, messenger, carriers, followSettings: follow };
}

/** What is stored, or the default where it is not of the right form. */
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
}

/** In production messages are sent or not sent: kept they are only where the environment says so, and printed never. */
function openMessenger(
  base: Foundation,
  { messages, sandboxes, production }: ProcessEnvironment,
  say: (line: string) => void,
  reach: CarrierReach,
): Messenger {
  const { kavenegar, smsIr, smtp } = messages;
  const post = postWith(base.transport, base.clock.monotonicMs);
  const carriers: MessageCarrier[] = [
    ...(kavenegar ? [createKavenegar({ ...kavenegar, post })] : []),
    ...(smsIr ? [createSmsIr({ ...smsIr, post })] : []),
    ...(smtp ? [createSmtp(smtp)] : []),
  ].map((carrier) => reach.watched(carrier));
  if (carriers.length > 0 || !sandboxes.has('messenger')) return createMessenger({ ...base, carriers });
  const print = production ? () => undefined : say;
  return createSandboxMessenger({ ...base.tools, background: base.background, say: print });
}

function postWith(transport: UpstreamTransport, monotonicMs: () => number): PostText {
  return async ({ url, headers, body }) => {
    const limits = { connectMs: SMS_TIMEOUT_MS, headersMs: SMS_TIMEOUT_MS, idleMs: SMS_TIMEOUT_MS };
    const reply = await transport.send({
      pool: `sms:${new URL(url).host}`,
      url,
      method: 'POST',
      headers,
      body: Buffer.from(body),
      ...limits,
      deadlineAtMs: monotonicMs() + SMS_TIMEOUT_MS,
    });
    return { status: reply.status, text: await reply.text(MAX_REPLY_BYTES) };
  };
}
