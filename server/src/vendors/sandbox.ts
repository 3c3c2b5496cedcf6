import type { Vendor } from './vendor.ts';

/** Answers in process without a network, so that a fresh start has something to talk to. Its models are simulators. */
export const sandbox: Vendor = {
  id: 'sandbox',
  name: { fa: 'آزمایشگاه', en: 'Sandbox' },
  protocol: 'openai-chat',
  baseUrl: 'http://sandbox.invalid/v1',
  auth: 'none',
  keyEnv: [],
  baseUrlEnv: undefined,
  quirks: {},
  transport: 'sandbox',
};
