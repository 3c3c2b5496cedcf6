/** Sends one message once: a webhook signed and through the safe fetcher, e-mail and SMS through the messenger. */
import type { Language } from '@dargah/core/text.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { SafeFetchError, type SafePost } from '../platform/upstream/index.ts';
import { isEventName, noticeMessage } from './events.ts';
import type { MessageSender } from './message-sender.ts';
import { webhookHeaders } from './webhook-signature.ts';

export type CarryOutcome = { done: true; status?: number } | { done: false; status?: number; problem: string };

/** Counted from the first try on. */
const RETRIES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const TIMEOUT_MS = 15 * SECOND_MS;
const GONE = 410;

/** When it is tried again; null when it is given up. `chance` spreads the retries of many targets. */
export function nextTry(tries: number, firstTryAt: Date, status: number | undefined, chance: number): Date | null {
  const wait = RETRIES_MS[tries - 1];
  if (wait === undefined || status === GONE) return null;
  return new Date(firstTryAt.getTime() + wait * (1 + chance / 10));
}

interface Webhook {
  id: string;
  /** Absent where the message is not of a notice. */
  noticeId?: string;
  event: string;
  data: JsonObject;
  /** When the event was noticed. */
  at: Date;
  url: string | null;
  sealed: string | null;
  isOn: boolean;
}

export async function postWebhook(
  tools: { clock: Clock; secrets: SecretBox; post: SafePost; timeoutMs?: number },
  { id, noticeId, event, data, at, url, sealed, isOn }: Webhook,
): Promise<CarryOutcome> {
  const { clock, secrets, post, timeoutMs = TIMEOUT_MS } = tools;
  if (url === null || sealed === null) return { done: false, status: GONE, problem: 'the target was deleted' };
  if (!isOn) return { done: false, status: GONE, problem: 'the target is switched off' };
  const body = JSON.stringify({
    type: event,
    timestamp: at.toISOString(),
    data: noticeId === undefined ? data : { ...data, notice_id: noticeId },
  });
  const headers = webhookHeaders(secrets.open(sealed), { id, at: Math.floor(clock.now() / 1000), body });
  try {
    const status = await post(url, { headers, body }, timeoutMs);
    if (status >= 200 && status < 300) return { done: true, status };
    const problem = status >= 300 && status < 400 ? 'redirects are not followed' : `answered ${status}`;
    return { done: false, status, problem };
  } catch (error) {
    if (!(error instanceof SafeFetchError)) throw error;
    return { done: false, problem: `${error.reason}: ${error.message}` };
  }
}

interface Message {
  id: string;
  event: string;
  data: JsonObject;
  channel: 'email' | 'sms';
  address: string | null;
  /** A link after the text, where there is one. */
  link?: string | undefined;
}

export async function carryMessage(
  tools: { messenger: MessageSender; log: Log; languageOf(address: string): Promise<Language> },
  { id, event, data, channel, address, link }: Message,
): Promise<CarryOutcome> {
  const { messenger, log, languageOf } = tools;
  if (address === null || !isEventName(event)) return { done: false, status: GONE, problem: 'no address' };
  if (!messenger.can(channel)) return { done: false, status: GONE, problem: `no ${channel} is configured` };
  const language = await languageOf(address);
  const { title, text } = noticeMessage(event, data);
  const whole = link === undefined ? text[language] : `${text[language]}\n${link}`;
  const words = { subject: title[language], text: whole, language };
  try {
    await messenger.deliver({ channel, to: address, kind: 'notice', ...words });
    return { done: true };
  } catch (error) {
    log.warn({ delivery: id, cause: (error as Error).message }, 'notice not delivered');
    // Customers read the problem, and the operator's carriers are not their concern.
    return { done: false, problem: `no carrier took the ${channel}` };
  }
}
