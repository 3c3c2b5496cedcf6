/** The operator's name, colour, picture and support contacts. */

import {
  changeBranding,
  getBranding,
  getSiteTexts,
  removeLogo,
  setLogo,
  setSiteText,
} from '@dargah/api/admin/branding.ts';
import { SITE_PAGES } from '@dargah/core/site-pages.ts';
import type { Branding, StoredBrand } from '../../branding/index.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
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
    // The address becomes a link on every page, so only http and https are accepted.
    if (address != null && !/^https?:\/\/\S{1,290}$/.test(address))
      throw invalidRequest('support_address', reasons.mustBe('support_address', expected.exactly('https://…')));
    await brands.change(body as Partial<StoredBrand>, actor);
    return view();
  });
  register(setLogo, async ({ body, actor }) => {
    await brands.setLogo(body.image, actor);
    return view();
  });
  register(getSiteTexts, async () => ({ object: 'site_texts', ...brands.siteTexts() }));
  register(setSiteText, async ({ params, body, actor }) => {
    const page = SITE_PAGES.find((one) => one === params.page);
    if (page === undefined) throw new GatewayError('not_found');
    await brands.setSiteText(page, body, actor);
    return { object: 'site_texts', ...brands.siteTexts() };
  });
  register(removeLogo, async ({ actor }) => {
    await brands.setLogo(null, actor);
    return view();
  });
}
