/**
 * What became of the guarantee on an answer (ADR 0069). `kept`: the answer is valid, after repairs where it needed
 * them. `asked_again`: it is valid and came from a second route. `broken`: it is invalid and free. `unmet`: it is
 * invalid in a way that the guarantee does not cover. `not_covered`: it was not checked.
 */
export const GUARANTEE_STATES = ['kept', 'asked_again', 'broken', 'unmet', 'not_covered'] as const;
export type GuaranteeState = (typeof GUARANTEE_STATES)[number];

/**
 * What became of the credit for a broken answer. `over`: the account had used up its free answers of the day.
 * `refunded`: staff had given it back before.
 */
export const CREDIT_STATES = ['waiting', 'credited', 'over', 'refunded'] as const;
export type CreditState = (typeof CREDIT_STATES)[number];

/** The repairs that are made, each of which leaves no doubt about what was meant. */
export const REPAIRS = ['fence', 'comma', 'cut'] as const;
export type Repair = (typeof REPAIRS)[number];
