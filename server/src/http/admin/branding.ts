/** The operator's name, colour, picture and support contacts. */

import { changeBranding, getBranding, removeLogo, setLogo } from '@dargah/api/admin/branding.ts';
import type { Branding, StoredBrand } from '../../branding/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';
import { logoAddress } from '../pages/brand.ts';
import type { Register } from '../routes/register.ts';

export function branding(register: Register, brands: Branding): void {
  const view = () => {
    return { object: 'branding' as const, ...brands.stored(), logo: logoAddress(brands.current()) ?? null };
  };
  register(getBranding, async () => view());
  register(changeBranding, async ({ body, actor }) => {
    const { support_address: address } = body;
    // It becomes a link on every page.
    if (address != null && !/^https?:\/\/\S{1,290}$/.test(address))
      throw invalidRequest('support_address', reasons.mustBe('support_address', expected.exactly('https://…')));
    await brands.change(body as Partial<StoredBrand>, actor);
    return view();
  });
  register(setLogo, async ({ body, actor }) => {
    await brands.setLogo(body.image, actor);
    return view();
  });
  register(removeLogo, async ({ actor }) => {
    await brands.setLogo(null, actor);
    return view();
  });
}
