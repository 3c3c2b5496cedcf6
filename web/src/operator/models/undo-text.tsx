/** What the undo of a change would remove, shown before it is done. */
import type { getChange } from '@dargah/api/admin/offers.ts';
import type { Result } from '../../api/call.ts';
import { useFormat } from '../../format.ts';
import { useOfferTexts } from '../providers/offer-texts.ts';

/** Groups and rules that lose a model by it are named before it is done. */
export function UndoText({ lost }: { lost: Result<typeof getChange>['undo_loses'] }) {
  const texts = useOfferTexts();
  const format = useFormat();
  return (
    <>
      <p>{texts.undoText}</p>
      {lost !== null && (
        <>
          <p className="bad">
            {texts.undoLoses(
              format.number(lost.models.length),
              format.number(lost.groups.length),
              format.number(lost.keys.count),
              format.number(lost.accounts.count),
            )}
          </p>
          <p className="xs dim">
            <bdi dir="ltr">{[...lost.models, ...lost.groups].slice(0, 20).join(', ')}</bdi>
          </p>
        </>
      )}
    </>
  );
}
