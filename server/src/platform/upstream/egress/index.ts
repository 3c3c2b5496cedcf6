export { DIRECT_WAY, readEgress } from './address.ts';
export { EgressError } from './dial.ts';
export { Egresses, type EgressHealth } from './egresses.ts';
export { type EnvironmentEgress, readEnvironmentEgress } from './environment.ts';
export { type ProbeStep, probeWays, type WayProbe } from './probe.ts';
export { type EgressTerms, openWays, pinnedConnector, type Way } from './ways.ts';
