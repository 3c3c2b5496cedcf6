/** The vendors that a provider can be made from, by the names people know. */
import { VENDORS } from '../../../../server/src/vendors/index.ts';

export const VENDOR_NAMES = VENDORS.filter(({ id }) => id !== 'sandbox').map(({ id, name }) => [id, name] as const);
