/** The guide that an owner sent away comes back from the settings. */
import type { dismissSetup, getSetup } from '@dargah/api/admin/setup.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useStaffMay } from '../may.ts';
import { useSetupTexts } from './texts.ts';

export function BringGuideBack() {
  const texts = useSetupTexts();
  const setup = useRead<typeof getSetup>('GET /api/admin/setup', {}).data;
  const mayBring = useStaffMay<typeof dismissSetup>(['owner']);
  const bring = useChange<typeof dismissSetup>('POST /api/admin/setup/dismiss', { stale: ['GET /api/admin/setup'] });
  if (!mayBring || setup === undefined || setup.dismissed === null || setup.done) return null;
  return (
    <div className="row">
      <button
        type="button"
        className="btn plain"
        disabled={bring.isPending}
        onClick={() => bring.mutate({ body: { dismissed: false } })}
      >
        {texts.bring}
      </button>
    </div>
  );
}
