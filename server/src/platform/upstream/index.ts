export { Cancellation } from './cancellation.ts';
export {
  TransportError,
  type UpstreamBody,
  type UpstreamCall,
  type UpstreamReply,
  type UpstreamTransport,
} from './port.ts';
export { createTransport, type TransportOptions, type TransportStats } from './transport.ts';
