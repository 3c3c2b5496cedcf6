export type {
  Admission,
  AdmissionHealth,
  BudgetCheck,
  BudgetState,
  Hold,
  LimitCheck,
  LoadPosted,
  PostedUpdate,
  RateName,
  ReplicaState,
  ReservedMoney,
  ReserveRequest,
  ReserveResult,
  WindowCheck,
  WindowState,
  WindowStates,
} from './admission.ts';
export { NO_LIMIT, NO_MONEY } from './admission.ts';
export { createMemoryAdmission } from './memory.ts';
export {
  chatRateHeaders,
  messagesRateHeaders,
  type RateWindows,
  retryHeaders,
  UNLIMITED_WINDOW,
} from './rate-headers.ts';
export { createClusterAdmission } from './redis/cluster-admission.ts';
export { createRedisAdmission } from './redis/redis-admission.ts';
export { AdmissionUnavailable } from './unavailable.ts';
