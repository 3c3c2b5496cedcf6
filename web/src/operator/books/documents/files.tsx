/** Pictures and PDFs of a paper: fetched as downloads, added by whoever books papers, never taken away. */

import type { attachToDocument, getDocument, getDocumentFile } from '@dargah/api/admin/documents.ts';
import { fetchFile, type Result } from '../../../api/call.ts';
import { useChange } from '../../../api/read.ts';
import { AttachedFiles, AttachField } from '../../../parts/attach.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { useStaffMay } from '../../may.ts';
import { useDocumentTexts } from './texts.ts';

export function DocumentFiles({ id, files }: { id: string; files: Result<typeof getDocument>['files'] }) {
  const texts = useDocumentTexts();
  const toast = useToast();
  const mayAdd = useStaffMay<typeof attachToDocument>(['owner', 'finance']);
  const attach = useChange<typeof attachToDocument>('POST /api/admin/documents/:id/files', {
    stale: ['GET /api/admin/documents/:id'],
    done: () => toast({ tone: 'good', text: texts.fileAdded }),
  });
  const bring = (file: string) =>
    fetchFile<typeof getDocumentFile>('GET /api/admin/documents/:id/files/:file', { params: { id, file } });
  return (
    <section className="stack gap-s">
      <h3>{texts.files}</h3>
      {files.length === 0 ? (
        <p className="mid">{texts.noFiles}</p>
      ) : (
        <div className="row">
          <AttachedFiles files={files} bring={bring} />
        </div>
      )}
      {mayAdd && (
        <AttachField
          files={[]}
          onChange={(chosen) => {
            for (const { name, data } of chosen) attach.mutate({ params: { id }, body: { name, data } });
          }}
          label={texts.attach}
          hint={texts.attachHint}
          tooLarge={texts.tooLarge}
        />
      )}
    </section>
  );
}
