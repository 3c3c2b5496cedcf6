/** The parts of a kind of notice. */

import type { Text } from '@dargah/core/text.ts';
import type { JsonObject } from '../core/json.ts';

export type Channel = 'console' | 'email' | 'sms' | 'webhook';

/** How severe a notice for staff is. */
export const SEVERITIES = ['warning', 'major', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Terms {
  /** An amount in toman, as text. */
  below?: string | null;
  days_left?: number | null;
  /** The amount in toman that the link of a reminder proposes, as text. */
  pay?: string | null;
  percents?: number[];
  days_before?: number[];
  times?: number;
  pause?: boolean;
  error_percent?: number;
}

export interface EventKind {
  /** Told to staff; severe ones also by e-mail. */
  staff?: true;
  /** The severity of notices for staff; a warning unless it says otherwise. */
  severity?: Severity;
  /** True when it lasts, so that its end is told too. */
  outage?: true;
  /** True when the link is the purpose of the message: then SMS carry it too, although they cost by length. */
  leads?: true;
  enabled: boolean;
  channels: Channel[];
  terms: Terms;
  title: Text;
  text(data: JsonObject): Text;
  /** One sentence on what the rule does. */
  sentence(terms: Terms): Text;
}
