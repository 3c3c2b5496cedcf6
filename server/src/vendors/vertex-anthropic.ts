import { anthropic } from './anthropic.ts';
import type { Vendor } from './vendor.ts';
import { vertexCloud } from './vertex.ts';

/** Anthropic's models in a project of Google Cloud. Dated ones have an `@` before the date: `claude-sonnet-4-5@20250929`. */
export const vertexAnthropic: Vendor = {
  id: 'vertex-anthropic',
  name: { fa: 'آنتروپیک روی ورتکس گوگل', en: 'Anthropic on Google Vertex' },
  protocol: 'anthropic-messages',
  baseUrl: undefined,
  auth: 'google-service-account',
  keyEnv: ['VERTEX_CREDENTIALS'],
  baseUrlEnv: 'VERTEX_ANTHROPIC_BASE_URL',
  deploymentsEnv: 'VERTEX_MODELS',
  door: { to: 'anthropic', nameOf: (model) => model.replace(/-(\d{8})$/, '@$1') },
  cloud: vertexCloud('anthropic'),
  quirks: { cloud: 'vertex' },
  ...(anthropic.modelRules && { modelRules: anthropic.modelRules }),
};
