import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../src/config/index.ts';

describe('the environment', () => {
  it('with nothing set is the documented default', () => {
    const read = readEnvironment({});
    expect(read).toEqual({
      environment: {
        production: false,
        sandboxes: new Set(['models', 'bank', 'messenger']),
        firstCredit: undefined,
        accessLog: false,
        port: 8080,
        host: '127.0.0.1',
        dataDir: './data',
        configFile: undefined,
        bootstrapKey: undefined,
        publicUrl: undefined,
        trustedProxies: [],
        databaseUrl: undefined,
        redisUrl: undefined,
        redisDeadlineMs: 250,
        logArchiveUrl: undefined,
        logArchiveDays: 365,
        masterKey: undefined,
        operatorToken: undefined,
        metricsToken: undefined,
        logLevel: 'info',
        discovery: true,
        lane: undefined,
        upstreamClient: undefined,
        egress: { waysTo: expect.any(Function), localAddress: undefined },
        otlp: undefined,
        messages: { kavenegar: undefined, smsIr: undefined, smtp: undefined },
      },
      mistakes: [],
    });
    for (const secure of [true, false])
      expect(read.environment.egress.waysTo({ secure, hostname: 'api.example.com', port: 443 })).toEqual([]);
  });

  it('takes every variable', () => {
    const masterKey = Buffer.alloc(32, 1).toString('base64');
    const { environment, mistakes } = readEnvironment({
      PORT: '0',
      HOST: '::1',
      DARGAH_DATA_DIR: '/d',
      DARGAH_CONFIG: 'c.yaml',
      DARGAH_BOOTSTRAP_KEY: 'dg-test-main',
      DATABASE_URL: 'postgres://u:p@h/db',
      REDIS_URL: 'rediss://h',
      DARGAH_REDIS_DEADLINE_MS: '2000',
      DARGAH_LOG_ARCHIVE_URL: 'https://u:p@h:8443/logs',
      DARGAH_LOG_ARCHIVE_DAYS: '3650',
      DARGAH_MASTER_KEY: masterKey,
      DARGAH_OPERATOR_TOKEN: 'a-token-long-enough',
      DARGAH_LOG_LEVEL: 'debug',
      DARGAH_DISCOVERY: 'off',
      DARGAH_TRUSTED_PROXIES: '127.0.0.1, 172.16.0.0/12,fc00::/7',
    });
    expect(mistakes).toEqual([]);
    expect(environment).toMatchObject({
      port: 0,
      host: '::1',
      configFile: 'c.yaml',
      masterKey,
      redisDeadlineMs: 2_000,
      logArchiveUrl: 'https://u:p@h:8443/logs',
      logArchiveDays: 3_650,
      logLevel: 'debug',
      discovery: false,
      trustedProxies: ['127.0.0.1', '172.16.0.0/12', 'fc00::/7'],
    });
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '80a'],
    ['DATABASE_URL', 'mysql://secret-password@h'],
    ['REDIS_URL', 'secret-password'],
    ['DARGAH_REDIS_DEADLINE_MS', '5'],
    ['DARGAH_LOG_ARCHIVE_URL', 'clickhouse://h'],
    ['DARGAH_LOG_ARCHIVE_DAYS', '0'],
    ['DARGAH_MASTER_KEY', 'secret-password'],
    ['DARGAH_OPERATOR_TOKEN', 'secret-pw'],
    ['DARGAH_LOG_LEVEL', 'loud'],
    ['DARGAH_DISCOVERY', 'maybe'],
    ['DARGAH_TRUSTED_PROXIES', '127.0.0.1,proxy.local'],
    ['DARGAH_BOOTSTRAP_KEY', 'with space'],
  ])('refuses %s=%s by name, and repeats no secret', (name, value) => {
    const { mistakes } = readEnvironment({ [name]: value });
    expect(mistakes.map((mistake) => mistake.path)).toEqual([name]);
    expect(JSON.stringify(mistakes)).not.toContain('secret-');
  });
});
