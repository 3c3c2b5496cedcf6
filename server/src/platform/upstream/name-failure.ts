/** Turns what sockets, TLS and our own reading of HTTP throw into one of our failures with a cause an operator can act on. */
import type { UpstreamFailure } from '../../core/failure.ts';
import { EgressError } from './egress/index.ts';
import { TransportError, type TransportPhase } from './port.ts';

/** The way out failed, not the provider. */
export const EGRESS_FAILURE = 'egress';

interface Cause {
  code: string;
  text: string;
}

const CAUSES: Record<string, Cause> = {
  ENOTFOUND: { code: 'dns', text: 'the name does not resolve (DNS)' },
  EAI_AGAIN: { code: 'dns', text: 'the name server does not answer (DNS)' },
  EAI_FAIL: { code: 'dns', text: 'the name server failed (DNS)' },
  ECONNREFUSED: { code: 'refused', text: 'connection refused' },
  EHOSTUNREACH: { code: 'unreachable', text: 'no route to the host' },
  ENETUNREACH: { code: 'unreachable', text: 'the network is unreachable' },
  EADDRNOTAVAIL: { code: 'unreachable', text: 'no local address or port left' },
  EMFILE: { code: 'no_sockets', text: 'this process has no free file descriptor' },
  ETIMEDOUT: { code: 'connect_timeout', text: 'the connection timed out' },
  ECONNRESET: { code: 'reset', text: 'connection reset by the provider' },
  EPIPE: { code: 'reset', text: 'connection closed while sending' },
  CLOSED_BY_SERVER: { code: 'closed', text: 'connection closed by the provider' },
  MALFORMED_HTTP: { code: 'malformed_http', text: 'the answer is not HTTP' },
  HEAD_TOO_LARGE: { code: 'malformed_http', text: 'response headers are too large' },
  INVALID_CALL: { code: 'invalid_call', text: 'address, header or credential is not valid HTTP' },
  SHUTDOWN: { code: 'shutdown', text: 'the gateway is shutting down' },
};

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|ERR_OSSL)/;

export function nameFailure(error: unknown, phase: TransportPhase, host: string): TransportError {
  if (error instanceof TransportError) return error;
  // The message of an EgressError is our own and contains no password.
  if (error instanceof EgressError)
    return transportFailure('connect', EGRESS_FAILURE, `${host}: ${error.message}`, phase);
  const thrown = codeOf(error);
  const cause = causeOf(thrown);
  // Our own text instead of the library's message, which may quote a header with a credential.
  return transportFailure(kindOf(cause, phase), cause.code, `${host}: ${cause.text}`, phase);
}

export function transportFailure(
  kind: UpstreamFailure['kind'],
  code: string,
  message: string,
  phase: TransportPhase,
): TransportError {
  return new TransportError({ kind, code, message }, phase);
}

function causeOf(thrown: string): Cause {
  const known = CAUSES[thrown];
  if (known) return known;
  if (TLS_CODE.test(thrown)) return { code: 'tls', text: `TLS failed (${thrown})` };
  return { code: 'socket', text: thrown === '' ? 'the connection failed' : `the connection failed (${thrown})` };
}

function kindOf(cause: Cause, phase: TransportPhase): UpstreamFailure['kind'] {
  if (cause.code === 'malformed_http') return 'malformed';
  return phase === 'body' ? 'truncated' : 'connect';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  // Several addresses were tried, and the first one's reason is reported for all.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : '';
}
