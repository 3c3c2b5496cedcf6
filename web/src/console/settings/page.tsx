/** Settings: mine (profile, sign-in, devices) and the account's (calendar, texts, management keys, export, closing). */

import type { listOwnTrail } from '@dargah/api/console/own-money.ts';
import { useLocation } from 'wouter';
import { usePages } from '../../api/read.ts';
import { AuditLogTable } from '../../parts/audit-log-table.tsx';
import { PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { MoreButton } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { Security } from '../../security/security.tsx';
import { useOwnAccount } from '../../session.tsx';
import { useTexts } from '../../texts/settings-texts.ts';
import { AccountSettings } from './account.tsx';
import { ManagementKeys } from './management.tsx';
import { Privacy } from './privacy.tsx';
import { Profile } from './profile.tsx';

type Tab = 'me' | 'security' | 'account' | 'privacy' | 'management' | 'trail';

export default function SettingsPage({ params }: { params: { tab?: string } }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const own = useOwnAccount();
  const leads = own?.role === 'owner' || own?.role === 'admin';
  const tabs: Tab[] = leads
    ? ['me', 'security', 'account', 'privacy', 'management', 'trail']
    : ['me', 'security', 'privacy'];
  const tab = tabs.find((id) => id === params.tab) ?? 'me';
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Segments
          label={texts.title}
          value={tab}
          onChange={(next) => navigate(next === 'me' ? '/console/settings' : `/console/settings/${next}`)}
          options={tabs.map((id) => [id, texts.tabs[id]] as const)}
        />
      </PageHead>
      {tab === 'me' && <Profile />}
      {tab === 'security' && <Security />}
      {tab === 'account' && <AccountSettings />}
      {tab === 'privacy' && <Privacy />}
      {tab === 'management' && <ManagementKeys />}
      {tab === 'trail' && <AuditLog />}
    </>
  );
}

function AuditLog() {
  const texts = useTexts();
  const list = usePages<typeof listOwnTrail>('GET /api/console/trail', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs.trail}>
      <AuditLogTable
        label={texts.tabs.trail}
        rows={list.rows}
        foot={list.more && <MoreButton more busy={list.loadingMore} onMore={list.onMore} />}
        empty={{ title: texts.noAuditLog, text: texts.noAuditLogText }}
        forCustomer
      />
    </section>
  );
}
