/** Who did what, with the before and after. */
import type { listEvents } from '../../../../server/src/http/admin/routes/service.ts';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { AuditLogTable } from '../../parts/audit-log-table.tsx';
import { FilterText } from '../../parts/filter.tsx';
import { PageHead } from '../../parts/page-frame.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useAuditLogTexts } from '../../texts/audit-log-texts.ts';
import { useTexts } from '../texts.ts';

export default function AuditLogPage() {
  const texts = useTexts();
  const own = useAuditLogTexts();
  const address = useAddress();
  const subject = address.get('subject');
  const list = usePages<typeof listEvents>('GET /api/admin/events', {
    query: { limit: 50, ...(subject === undefined ? {} : { subject }) },
  });
  return (
    <>
      <PageHead title={texts.nav.trail} lead={texts.noAuditLogText} />
      <div className="filters">
        <FilterText name="subject" label={own.where} />
      </div>
      <section className="panel" aria-label={texts.nav.trail}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <AuditLogTable
            label={texts.nav.trail}
            rows={list.rows}
            more={list.more}
            loadingMore={list.loadingMore}
            onMore={list.onMore}
            empty={{ title: texts.noAuditLog, text: texts.noAuditLogText }}
          />
        )}
      </section>
    </>
  );
}
