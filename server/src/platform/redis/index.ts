export { isRedisAddress, isRedisCluster } from './address.ts';
export { createRedis, type RedisClient } from './client.ts';
