export { type Payable, rialOf, taxOn } from './amounts.ts';
export type { PaymentGateway } from './gateway.ts';
export { createGatewayDirectory, type GatewayDirectory, type GatewayView } from './gateway-directory.ts';
export { findSandboxPayment, playSandboxPayment, type SandboxPayment } from './gateways/sandbox-bank.ts';
export { createGiftCodes, type GiftCode, type GiftCodes } from './gift-codes.ts';
export type { Order, OrderEvent } from './order-rows.ts';
export { ORDER_STATES, type OrderState } from './order-states.ts';
export { createOrders, type Orders } from './orders.ts';
export { Settlement } from './settle.ts';
