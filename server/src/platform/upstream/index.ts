export { isMetadataHost } from './address-rules.ts';
export { Cancellation } from './cancellation.ts';
export { DeadlineSweep, type Swept } from './deadline-sweep.ts';
export {
  DIRECT_WAY,
  type EgressHealth,
  type EgressTerms,
  type EnvironmentEgress,
  type ProbeStep,
  probeWays,
  readEgress,
  readEnvironmentEgress,
  type WayProbe,
} from './egress/index.ts';
export { type FetchLimits, SafeFetchError } from './fetch-terms.ts';
export {
  type CallSigning,
  type SocketCall,
  TransportError,
  type UpstreamBody,
  type UpstreamCall,
  type UpstreamReply,
  type UpstreamSocket,
  type UpstreamSocketListener,
  type UpstreamTransport,
} from './port.ts';
export { createSafeFetch, createSafePost, isTrustedHost, type SafeFetch, type SafePost } from './safe-fetch.ts';
export { createSandbox } from './sandbox/sandbox.ts';
export { withSigning } from './signing/signing-transport.ts';
export { createTransport, type TransportStats, type UpstreamClient } from './transport.ts';
