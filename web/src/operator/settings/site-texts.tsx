/** Texts of the public pages: terms, privacy, contact. What is empty in both languages is not published and not linked. */
import type { getSiteTexts, setSiteText } from '@dargah/api/admin/branding.ts';
import { MAX_SITE_TEXT, SITE_PAGES, type SitePage } from '@dargah/core/site-pages.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { AreaField, CommitBar } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useServiceTexts } from './service-texts.ts';

type Texts = Result<typeof getSiteTexts>;
const LANGUAGES = ['fa', 'en'] as const;

export function SiteTexts() {
  const texts = useServiceTexts();
  const read = useRead<typeof getSiteTexts>('GET /api/admin/site-texts', {});
  const [page, setPage] = useState<SitePage>('terms');
  return (
    <Panel
      title={texts.siteTexts}
      aside={
        <Segments
          label={texts.siteTexts}
          value={page}
          onChange={(next) => setPage(next as SitePage)}
          options={SITE_PAGES.map((id) => [id, texts.sitePages[id]] as const)}
        />
      }
    >
      {read.data === undefined ? (
        <Skeleton shape="form" />
      ) : (
        <ChangedBy<typeof setSiteText> roles={['owner']}>
          <PageForm key={page} page={page} stored={read.data[page]} />
        </ChangedBy>
      )}
    </Panel>
  );
}

function PageForm({ page, stored }: { page: SitePage; stored: Texts[SitePage] }) {
  const texts = useServiceTexts();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Texts[SitePage]>>({});
  const value = { ...stored, ...draft };
  const save = useChange<typeof setSiteText>('PUT /api/admin/site-texts/:page', {
    stale: ['GET /api/admin/site-texts'],
    quiet: true,
    done() {
      setDraft({});
      toast({ text: texts.seenAfterReload });
    },
  });
  const isPublished = stored.fa !== null || stored.en !== null;
  return (
    <>
      <div className="pad stack gap-m">
        <p className="mid text">
          {texts.siteTextsHint} {isPublished ? <a href={`/${page}`}>{texts.siteOpen}</a> : texts.siteUnset[page]}
        </p>
        <div className="columns two">
          {LANGUAGES.map((language) => (
            <AreaField
              key={language}
              label={texts.siteIn[language]}
              rows={10}
              dir={language === 'fa' ? 'rtl' : 'ltr'}
              lang={language}
              maxLength={MAX_SITE_TEXT}
              value={value[language] ?? ''}
              onChange={(next) => setDraft((before) => ({ ...before, [language]: next === '' ? null : next }))}
              error={errorAt(save.error, language)}
            />
          ))}
        </div>
      </div>
      {Object.keys(draft).length > 0 && (
        <CommitBar
          busy={save.isPending}
          onReset={() => setDraft({})}
          onSave={() => save.mutate({ params: { page }, body: value })}
        >
          {save.error === null ? shared.unsaved : save.error.message}
        </CommitBar>
      )}
    </>
  );
}
