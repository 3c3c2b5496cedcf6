/** The first-run guide, and the reports of backups. */
import { dismissSetup, getSetup, reportBackup } from '@dargah/api/admin/setup.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';
import type { Setup } from '../../setup/index.ts';
import type { Register } from '../routes/register.ts';

export function setup(register: Register, guide: Setup): void {
  register(getSetup, () => guide.view());
  register(dismissSetup, ({ body, actor }) => guide.dismiss(body.dismissed, actor));
  register(reportBackup, async ({ body, actor }) => {
    const location = body.location.trim();
    if (location.length < 3 || hasPassword(location))
      throw invalidRequest('location', reasons.mustBe('location', expected.placeWithoutPassword));
    const at = await guide.backupMade(location, actor);
    return { object: 'backup' as const, location, at: at.toISOString() };
  });
}

/** All staff see the place of the backup. */
function hasPassword(place: string): boolean {
  return URL.canParse(place) && new URL(place).password !== '';
}
