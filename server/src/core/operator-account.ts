/** The account that the first start makes for whoever runs the service: what is not sold to anybody yet answers here. */
export const OPERATOR_ACCOUNT = 'operator';
