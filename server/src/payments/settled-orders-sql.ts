/**
 * Conditions that find the orders a gateway has settled. The lines that settle them are written when settlements are
 * read.
 */

/**
 * The matches that count: lines that were matched for certain, or that a person confirmed. A proposal does not count.
 */
export const AGREED_MATCHES = `('reference', 'external', 'hand', 'assumed')`;

/**
 * Orders that are paid and in no settlement: only of gateways whose settlements are read here, and since their books
 * began.
 */
export const NOT_SETTLED = `payment_order.state in ('credited', 'refunded')
  and exists (select from (
      select source, coalesce(max(paid_at) filter (where kind = 'opening'), '-infinity') as begins from settlement
      where kind in ('gateway', 'opening') group by source) as known
    where known.source = payment_order.gateway and payment_order.created_at > known.begins)
  and not exists (select from settlement_line line
    where line.settles = 'payment:' || payment_order.id and line.match in ${AGREED_MATCHES})`;
