export { createRedis, type RedisClient } from './client.ts';
