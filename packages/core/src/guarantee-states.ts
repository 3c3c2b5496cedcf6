/**
 * What became of the guarantee on an answer (ADR 0069). `kept`: it is right, repaired where it had to be. `asked_again`: it is right, and
 * was asked of a second route. `broken`: it is wrong, and free. `unmet`: it is wrong in what the guarantee does not cover. `not_covered`:
 * it was not judged.
 */
export const GUARANTEE_STATES = ['kept', 'asked_again', 'broken', 'unmet', 'not_covered'] as const;
export type GuaranteeState = (typeof GUARANTEE_STATES)[number];

/** Of the credit for a broken answer. `over`: the account had had its free answers of the day. `refunded`: staff gave it back before. */
export const CREDIT_STATES = ['waiting', 'credited', 'over', 'refunded'] as const;
export type CreditState = (typeof CREDIT_STATES)[number];

/** What of an answer is mended, since it leaves no doubt. */
export const REPAIRS = ['fence', 'comma', 'cut'] as const;
export type Repair = (typeof REPAIRS)[number];
