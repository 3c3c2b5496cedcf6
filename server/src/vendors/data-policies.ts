/**
 * What vendors publish about the data of their API, where it is well known and holds for every paying customer without
 * a contract. What depends on a plan, a region or a contract is left out: the operator states it for their provider.
 */
import { type DataPolicy, NOTHING_STATED } from '@dargah/core/data-policy.ts';

const stated = (policy: Partial<DataPolicy>): DataPolicy => ({ ...NOTHING_STATED, ...policy });

const POLICIES: Readonly<Record<string, DataPolicy>> = {
  // Data of the API is not used for training unless one opts in; it is kept up to 30 days to find abuse.
  openai: stated({ training: false, retention_days: 30 }),
  'openai-responses': stated({ training: false, retention_days: 30 }),
  // Commercial terms: no training; inputs and outputs are deleted within 30 days.
  anthropic: stated({ training: false, retention_days: 30 }),
  // Azure: neither OpenAI nor Microsoft trains with it; kept up to 30 days to find abuse. The region is that of the resource.
  'azure-openai': stated({ training: false, retention_days: 30 }),
  // Its privacy policy says that it is kept in China.
  deepseek: stated({ region: 'cn' }),
  groq: stated({ training: false }),
  // Answers inside this process.
  sandbox: stated({ training: false, retention_days: 0 }),
};

export function shippedDataPolicy(vendor: string): DataPolicy | undefined {
  return POLICIES[vendor];
}
