/** How long what is kept is kept. The configuration file decides, so it is only shown here. */
import { Fragment } from 'react';
import type { getSettings } from '../../../../server/src/http/admin/routes/service.ts';
import type { Result } from '../../api/call.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useSettingTexts } from './texts.ts';

const DAY_MS = 86_400_000;

export function Retention({ kept }: { kept: Result<typeof getSettings>['retention'] }) {
  const { retention: texts } = useSettingTexts();
  const format = useFormat();
  const rows = [
    [texts.requestLog, 'log_retention_days', kept.request_log_days],
    [texts.promptLogs, 'prompt_log_max_days', kept.prompt_log_max_days],
    [texts.storedResponses, 'response_store_keep_ms', kept.stored_responses_ms / DAY_MS],
    [texts.idempotency, 'idempotency_keep_ms', kept.idempotency_ms / DAY_MS],
    [texts.uptime, 'uptime_history_days', kept.uptime_days],
  ] as const;
  return (
    <Panel title={texts.title}>
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
              {days === 0 ? texts.never : texts.days(format.number(Math.round(days * 10) / 10))}
            </dd>
          </Fragment>
        ))}
      </dl>
      <p className="pad under xs dim">{texts.hint}</p>
    </Panel>
  );
}
