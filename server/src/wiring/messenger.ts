/** Which carriers deliver messages to people: those of the environment, and those that operators entered on the web. */
import type { CarrierId } from '@dargah/core/fields/index.ts';
import type { ProcessEnvironment } from '../config/index.ts';
import {
  type CarrierDirectory,
  type CarrierReach,
  createCarrierDirectory,
  createKavenegar,
  createMessenger,
  createSandboxMessenger,
  createSmsIr,
  createSmtp,
  type MessageCarrier,
  type Messenger,
  type PostText,
} from '../messages/index.ts';
import type { UpstreamTransport } from '../platform/upstream/index.ts';
import type { Foundation } from './foundation.ts';

const SMS_TIMEOUT_MS = 15_000;
const MAX_REPLY_BYTES = 64 * 1024;

/** In production messages are kept in the sandbox only where the environment says so, and never printed. */
export async function openMessenger(
  base: Foundation,
  { messages, sandboxes, production }: ProcessEnvironment,
  say: (line: string) => void,
  reach: CarrierReach,
): Promise<{ messenger: Messenger; carriers: CarrierDirectory }> {
  const { kavenegar, smsIr, smtp } = messages;
  const post = postWith(base.transport, base.clock.monotonicMs);
  const environment = new Map<CarrierId, MessageCarrier>();
  if (kavenegar) environment.set('kavenegar', createKavenegar({ ...kavenegar, post }));
  if (smsIr) environment.set('sms.ir', createSmsIr({ ...smsIr, post }));
  if (smtp) environment.set('smtp', createSmtp(smtp));
  const carriers = await createCarrierDirectory({
    ...base.tools,
    log: base.log,
    environment,
    build: (id, values) => builtCarrier(id, values, post),
  });
  const watched = () => carriers.current().map((carrier) => reach.watched(carrier));
  const real = createMessenger({ ...base, carriers: watched });
  if (!sandboxes.has('messenger')) return { messenger: real, carriers };
  const print = production ? () => undefined : say;
  const sandbox = createSandboxMessenger({ ...base.tools, background: base.background, say: print });
  return { messenger: eitherOf(() => (carriers.current().length > 0 ? real : sandbox)), carriers };
}

/** The sandbox keeps messages until a carrier is set up, which may happen while the service runs. */
function eitherOf(now: () => Messenger): Messenger {
  return {
    get sandbox() {
      return now().sandbox;
    },
    get carriers() {
      return now().carriers;
    },
    can: (channel) => now().can(channel),
    send: (message) => now().send(message),
    deliver: (message) => now().deliver(message),
    trial: (message) => now().trial(message),
  };
}

interface Values {
  secrets: Record<string, string>;
  options: Record<string, string>;
}

function builtCarrier(id: CarrierId, { secrets, options }: Values, post: PostText): MessageCarrier {
  const { api_key: apiKey = '', url = '' } = secrets;
  const { template = '', sender, template_id: templateId, parameter, line, origin, from = '' } = options;
  if (id === 'kavenegar') return createKavenegar({ apiKey, template, sender, origin, post });
  if (id === 'sms.ir') return createSmsIr({ apiKey, templateId: Number(templateId), parameter, line, origin, post });
  return createSmtp({ url, from });
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
