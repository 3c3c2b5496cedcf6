export type { AnswerHandler, AnswerHead, CallBody, Carrier, ClientPool, OutgoingCall, PoolStats } from './call.ts';
export { ConnectionPool } from './connection-pool.ts';
export {
  type Connector,
  type ConnectTarget,
  type Destination,
  destinationOf,
  openDirect,
  secureOver,
} from './destination.ts';
export { NodePool } from './node-pool.ts';
