/** How long what is kept is kept. The configuration file decides, so it is only shown here. */

import type { getSettings } from '@dargah/api/admin/service.ts';
import { Fragment } from 'react';
import type { Result } from '../../api/call.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useSettingWords } from './words.ts';

const DAY_MS = 86_400_000;

export function Retention({ kept }: { kept: Result<typeof getSettings>['retention'] }) {
  const { retention: words } = useSettingWords();
  const format = useFormat();
  const rows = [
    [words.requestLog, 'log_retention_days', kept.request_log_days],
    [words.promptLogs, 'prompt_log_max_days', kept.prompt_log_max_days],
    [words.storedResponses, 'response_store_keep_ms', kept.stored_responses_ms / DAY_MS],
    [words.idempotency, 'idempotency_keep_ms', kept.idempotency_ms / DAY_MS],
    [words.uptime, 'uptime_history_days', kept.uptime_days],
  ] as const;
  return (
    <Panel title={words.title}>
      <dl className="facts pad">
        {rows.map(([name, setting, days]) => (
          <Fragment key={setting}>
            <dt>
              {name}
              <div className="xs">
                <Id value={setting} />
              </div>
            </dt>
            <dd className="nowrap">
              {days === 0 ? words.never : words.days(format.number(Math.round(days * 10) / 10))}
            </dd>
          </Fragment>
        ))}
      </dl>
      <p className="pad under xs dim">{words.hint}</p>
    </Panel>
  );
}
