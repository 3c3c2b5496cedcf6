export { createRedis, type RedisClient, type RedisSettings } from './client.ts';
