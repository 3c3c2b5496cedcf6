/** What staff may set at a gateway. A mistake here sends money wrongly or a secret to a stranger, so it is refused. */
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { parseToman } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import type { GatewayKind } from './gateways/offered.ts';
import { paymentReasons } from './reasons.ts';

export interface GatewayChange {
  enabled?: boolean | undefined;
  /** Only the secrets to change; null deletes one. */
  secrets?: Record<string, string | null> | undefined;
  options?: Record<string, string | null> | undefined;
}

type Texts = Readonly<Record<string, string>>;

const MAX_TEXT = 2_000;
/** Stripe counts these in whole units or in thousandths, but amounts are in hundredths here. */
const NOT_IN_HUNDREDTHS = new Set(
  'bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf isk huf twd bhd jod kwd omr tnd'.split(' '),
);
/** The options that name an address to which secrets are sent. */
const ADDRESSES = ['base_url', 'api_url'] as const;
const REFUND_METHODS: readonly string[] = ['PAYA', 'CARD'];
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])$/;

export function checkChange(kind: GatewayKind, { secrets = {}, options = {} }: GatewayChange): void {
  for (const [name, allowed, values] of [
    ['secrets', [...kind.secrets, ...(kind.moreSecrets ?? [])], secrets],
    ['options', kind.options, options],
  ] as const) {
    for (const [field, value] of Object.entries(values)) {
      if (!allowed.includes(field)) throw invalidRequest(`${name}.${field}`, reasons.oneOf(name, allowed));
      if (value !== null && (value.trim() === '' || value.length > MAX_TEXT))
        throw invalidRequest(`${name}.${field}`, reasons.mustBe(field, expected.textBetween(1, MAX_TEXT)));
    }
  }
}

/** Checks the options as they will be stored. */
export function checkOptions(options: Texts): void {
  const { currency, toman_per_unit: rate } = options;
  for (const name of ADDRESSES) {
    const address = options[name];
    if (address !== undefined && !isSafeAddress(address))
      throw invalidRequest(`options.${name}`, reasons.mustBe(name, expected.httpsAddress));
  }
  const { terminal_id: terminal, refund_method: method } = options;
  if (terminal !== undefined && !/^\d{1,20}$/.test(terminal))
    throw invalidRequest('options.terminal_id', reasons.mustBe('terminal_id', expected.shapedAs('1234567')));
  if (method !== undefined && !REFUND_METHODS.includes(method))
    throw invalidRequest('options.refund_method', reasons.oneOf('refund_method', REFUND_METHODS));
  const unit = currency?.toLowerCase();
  if (unit !== undefined && (!/^[a-z]{3}$/.test(unit) || NOT_IN_HUNDREDTHS.has(unit)))
    throw invalidRequest('options.currency', paymentReasons.notInHundredths);
  const price = rate === undefined ? undefined : parseToman(rate);
  if (rate !== undefined && (price === undefined || price <= 0n))
    throw invalidRequest('options.toman_per_unit', reasons.mustBe('toman_per_unit', expected.tomanAboveZero));
  // The service's exchange rate is that of the dollar, so any other unit needs a rate of its own.
  if (unit !== undefined && unit !== 'usd' && rate === undefined)
    throw invalidRequest('options.toman_per_unit', reasons.required('toman_per_unit'));
}

interface Move {
  before: Texts;
  after: Texts;
  input: GatewayChange['secrets'];
  known: Texts;
}

/** Secrets go to the address for which they were entered, so whoever changes the address must enter them again. */
export function checkMoved(kind: GatewayKind, { before, after, input = {}, known }: Move): void {
  if (ADDRESSES.every((name) => before[name] === after[name])) return;
  const missing = [...kind.secrets, ...(kind.moreSecrets ?? [])].find(
    (name) => (known[name] ?? '') !== '' && typeof input[name] !== 'string',
  );
  if (missing !== undefined) throw invalidRequest(`secrets.${missing}`, paymentReasons.secretsAgain);
}

/** Secrets and verdicts travel to this address, so plain http is allowed only within this machine. */
function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)));
}
