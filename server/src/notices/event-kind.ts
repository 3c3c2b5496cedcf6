/** What a kind of notice is made of. */

import type { Text } from '@dargah/core/text.ts';
import type { JsonObject } from '../core/json.ts';

export type Channel = 'console' | 'email' | 'sms' | 'webhook';

/** How grave a notice for staff is. */
export const SEVERITIES = ['warning', 'major', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Terms {
  /** Toman as text. */
  below?: string | null;
  days_left?: number | null;
  /** Toman that the link of a reminder proposes, as text. */
  pay?: string | null;
  percents?: number[];
  days_before?: number[];
  times?: number;
  pause?: boolean;
  error_percent?: number;
}

export interface EventKind {
  /** Told to the operator's people; the grave ones also by e-mail. */
  staff?: true;
  /** Of notices for staff; a warning unless it says more. */
  severity?: Severity;
  /** It lasts, and its end is told too. */
  outage?: true;
  /** Its link is what it is about: SMS carry it too, which cost by length. */
  leads?: true;
  enabled: boolean;
  channels: Channel[];
  terms: Terms;
  title: Text;
  text(data: JsonObject): Text;
  /** What the rule does, in one sentence. */
  sentence(terms: Terms): Text;
}
