/** The steps from the first password to the first sold answer, in the order in which the guide shows them. */
export const SETUP_STEPS = [
  'password',
  'identity',
  'provider',
  'models',
  'pricing',
  'payment',
  'messenger',
  'vat',
  'backup',
  'second_owner',
  'first_sale',
] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

/** What is still missing before a step is done. */
export const SETUP_LACKS = [
  'own_password',
  'second_factor',
  'name',
  'logo',
  'contact',
  'seller',
  'provider',
  'provider_key',
  'provider_test',
  'models',
  'confirmation',
  'gateway',
  'payment',
  'carrier',
  'message',
  'vat',
  'backup',
  'new_backup',
  'owner',
  'sale',
] as const;
export type SetupLack = (typeof SETUP_LACKS)[number];
