/** Step 9 of both audio paths: one route, one call, and the first look at what came back. */
import {
  type Cancellation,
  TransportError,
  type UpstreamBody,
  type UpstreamReply,
} from '../../platform/upstream/index.ts';
import { hasAudioEndpoints } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { joinUrl, requestHeaders } from '../attempt/provider-http.ts';
import type { AttemptResult } from '../attempt/try-route.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';

export interface AudioCall {
  path: string;
  headers: Record<string, string>;
  body: UpstreamBody;
  warnings: string[];
  /** The answer comes when it is made, and not piece by piece. */
  whole: boolean;
}

/** `open` reads an answer of status 2xx as far as it must to know that it is one. */
export async function askAudio<Opening>(
  { run, target, cancellation }: { run: Run; target: Target; cancellation: Cancellation },
  encode: () => AudioCall,
  open: (reply: UpstreamReply, contentType: string) => Promise<AttemptResult<Opening>>,
  gw: Gateway,
): Promise<AttemptResult<Opening>> {
  const { provider } = target.route;
  if (!hasAudioEndpoints(provider.protocol)) {
    return { failure: { kind: 'model-gone', message: `${provider.protocol} has no audio` }, status: null };
  }
  const { path, headers, body, warnings, whole } = encode();
  const { timeouts } = provider;
  const patienceMs = whole ? timeouts.wholeAnswerMs : timeouts.firstEventMs;
  for (const warning of warnings) if (!run.call.trail.warnings.includes(warning)) run.call.trail.warnings.push(warning);
  let reply: UpstreamReply | undefined;
  try {
    reply = await gw.transportOf(provider).send({
      pool: provider.id,
      egress: provider.egress,
      url: joinUrl(provider.baseUrl, path),
      method: 'POST',
      headers: requestHeaders(provider, target.credential, headers, run.call.hop + 1, run.traceparents.get(target)),
      body,
      cancellation,
      connectMs: timeouts.connectMs,
      headersMs: patienceMs,
      firstEventMs: patienceMs,
      idleMs: whole ? patienceMs : timeouts.idleMs,
      deadlineAtMs: Math.min(run.deadlineAtMs, gw.clock.monotonicMs() + timeouts.totalMs),
    });
    const result = await look(reply, provider.protocol, open, gw);
    if ('failure' in result) reply.abort('attempt failed');
    return result;
  } catch (error) {
    reply?.abort('attempt failed');
    if (error instanceof TransportError) return { failure: error.failure, status: reply?.status ?? null };
    throw error;
  }
}

async function look<Opening>(
  reply: UpstreamReply,
  protocol: Target['route']['provider']['protocol'],
  open: (reply: UpstreamReply, contentType: string) => Promise<AttemptResult<Opening>>,
  gw: Gateway,
): Promise<AttemptResult<Opening>> {
  const { status } = reply;
  if (status < 200 || status >= 300) {
    const text = await reply.excerpt(65_536);
    return { failure: gw.upstreamProtocols[protocol].upstream.decodeFailure(status, reply.headers, text), status };
  }
  const contentType = (reply.header('content-type') ?? '').toLowerCase();
  if (contentType.includes('text/html')) {
    return { failure: { kind: 'malformed', status, message: 'an HTML page instead of an answer' }, status };
  }
  return open(reply, contentType);
}
