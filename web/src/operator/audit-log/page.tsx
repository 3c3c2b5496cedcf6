/** The audit log: who did what, with the values before and after. */
import type { listEvents } from '@dargah/api/admin/service.ts';
import { AUDIT_LOG_ACTS, type AuditLogAct } from '@dargah/core/admin-acts.ts';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { AuditLogTable } from '../../parts/audit-log-table.tsx';
import { Filter, FilterText } from '../../parts/filter.tsx';
import { PageHead } from '../../parts/page-frame.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useActTexts } from '../../texts/act-texts.ts';
import { useAuditLogTexts } from '../../texts/audit-log-texts.ts';
import { AccountFilter } from '../lists/account-filter.tsx';
import { ListBar } from '../lists/list-bar.tsx';
import { ListFoot } from '../lists/list-foot.tsx';
import { useListPeriod } from '../lists/period.ts';
import { PERIOD_NAMES, PeriodFilter } from '../lists/period-filter.tsx';
import { present } from '../lists/present.ts';
import { useTexts } from '../texts.ts';

const FILTERS = [...PERIOD_NAMES, 'actor', 'action', 'subject', 'account'];

export default function AuditLogPage() {
  const texts = useTexts();
  const own = useAuditLogTexts();
  const acts = useActTexts();
  const { get } = useAddress();
  const period = useListPeriod('all');
  const filters = {
    subject: get('subject'),
    actor: get('actor'),
    action: get('action') as AuditLogAct | undefined,
    account_id: get('account'),
  };
  const query = { limit: 50, ...period, ...present(filters) };
  const list = usePages<typeof listEvents>('GET /api/admin/events', { query });
  return (
    <>
      <PageHead title={texts.nav.trail} lead={texts.noAuditLogText} />
      <ListBar list="audit_log" names={FILTERS} query={query}>
        <PeriodFilter usual="all" />
        <Filter name="action" label={own.what} options={AUDIT_LOG_ACTS.map((act) => [act, acts[act]] as const)} />
        <FilterText name="actor" label={own.who} />
        <AccountFilter />
        <FilterText name="subject" label={own.where} />
      </ListBar>
      <section className="panel" aria-label={texts.nav.trail}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <AuditLogTable
            label={texts.nav.trail}
            rows={list.rows}
            foot={<ListFoot list={list} />}
            empty={{ title: texts.noAuditLog, text: texts.noAuditLogText }}
            orderPath="/operator/orders/"
          />
        )}
      </section>
    </>
  );
}
