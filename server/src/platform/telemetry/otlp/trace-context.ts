/** W3C Trace Context (`traceparent`): which trace a request belongs to, and which span called us. */

export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits: the span that is the parent of what comes next. */
  spanId: string;
  sampled: boolean;
}

const LENGTH = 55;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const HEX = /^[0-9a-f]+$/;

/** undefined for anything that the recommendation calls invalid: such a request begins a trace of its own. */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined || header.length < LENGTH) return undefined;
  const version = header.slice(0, 2);
  // Later versions may append fields after the flags, never before them.
  if (version === '00' ? header.length !== LENGTH : header.length > LENGTH && header[LENGTH] !== '-') return undefined;
  if (header[2] !== '-' || header[35] !== '-' || header[52] !== '-') return undefined;
  const traceId = header.slice(3, 35);
  const spanId = header.slice(36, 52);
  const flags = header.slice(53, LENGTH);
  if (version === 'ff' || !HEX.test(version + traceId + spanId + flags)) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function writeTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
