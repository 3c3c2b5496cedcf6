/** The account that the first start makes for the operator: models that are not for sale yet can be used here. */
export const OPERATOR_ACCOUNT = 'operator';
