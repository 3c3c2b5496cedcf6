/**
 * The addresses that payment gateways send browsers and messages to, and the pages people see there. They need no
 * session: a return only makes us ask the gateway, and the id of an order or invoice has eighty random bits. A gateway
 * without its secrets answers 404 everywhere.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../branding/index.ts';
import { refuseBrokenText } from '../../core/broken-text.ts';
import { GatewayError } from '../../core/errors.ts';
import { findSandboxPayment, playSandboxPayment, type SandboxPayment } from '../../payments/index.ts';
import type { PaymentServices } from '../console/payments.ts';
import { type FramedPage, frame } from '../pages/frame.ts';
import { sendPage, writtenPage } from '../pages/kept-pages.ts';
import { type PageVisit, visitOf } from '../pages/visit.ts';
import type { BuiltSite } from '../web/built-site.ts';
import { invoicePage, orderPage, sandboxClosedPage, sandboxPage } from './pages.ts';

/** A return is a few short fields; a message of a gateway some kilobytes. */
const MAX_BYTES = 128 * 1024;

export interface PayLook {
  site: BuiltSite;
  brand(): Brand;
}

export function pay(app: FastifyInstance, { payments, origin }: PaymentServices, { site, brand }: PayLook): void {
  const { orders, gateways, invoices, db } = payments;
  const visitIn = (request: FastifyRequest) => visitOf(request, origin, 'query');
  const show = async (request: FastifyRequest, reply: FastifyReply, page: (visit: PageVisit) => FramedPage) => {
    // A page about one customer's payment: neither browsers nor proxies may cache it.
    reply.header('cache-control', 'no-store');
    const visit = visitIn(request);
    const manifest = await site.manifest().catch(() => undefined);
    const written = writtenPage(frame(visit, { manifest, brand: brand() }, page(visit)));
    return sendPage(request, reply, written, visit.origin);
  };

  const comeBack = async (request: FastifyRequest, reply: FastifyReply) => {
    const { gateway = '' } = request.params as { gateway?: string };
    const known = await gateways.evenIfOff(gateway);
    if (!known) throw new GatewayError('not_found');
    const fields = fieldsOf(request);
    payments.questionLimit.count(`${gateway} ${known.readReturn(fields) ?? ''}`);
    const order = await orders.returned(gateway, fields);
    if (!order) throw new GatewayError('not_found');
    return reply.redirect(`/pay/orders/${order.id}?lang=${order.language}`, 303);
  };
  app.route({ method: ['GET', 'POST'], url: '/pay/:gateway/return', bodyLimit: MAX_BYTES, handler: comeBack });

  app.post('/pay/:gateway/webhook', { bodyLimit: MAX_BYTES }, async (request, reply) => {
    const { gateway = '' } = request.params as { gateway?: string };
    const headers = request.headers as Record<string, string | undefined>;
    // The answer is the same when the gateway takes no messages and when the signature is wrong.
    if (!(await orders.webhook(gateway, bytesOf(request), headers))) throw new GatewayError('not_found');
    return reply.code(200).send({ received: true });
  });

  app.get('/pay/orders/:id', async (request, reply) => {
    const { id = '' } = request.params as { id?: string };
    const order = await orders.get(id);
    const receipt = {
      order,
      gateway: (await gateways.evenIfOff(order.gateway))?.name,
      invoiceId: await invoices.idOfOrder(order.id),
    };
    return show(request, reply, (visit) => orderPage(visit, receipt));
  });

  const playing = async (request: FastifyRequest): Promise<SandboxPayment> => {
    const { id = '' } = request.params as { id?: string };
    const payment = (await gateways.find('sandbox')) && (await findSandboxPayment(db, id));
    if (!payment) throw new GatewayError('not_found');
    return payment;
  };
  app.get('/sandbox-bank/:id', async (request, reply) => {
    const payment = await playing(request);
    return show(request, reply, (visit) => sandboxPage(visit, payment));
  });
  app.post('/sandbox-bank/:id/:play', { bodyLimit: MAX_BYTES }, async (request, reply) => {
    const payment = await playing(request);
    const { play = '' } = request.params as { play?: string };
    if (!PLAYS.has(play)) throw new GatewayError('not_found');
    if (play !== 'wait') await playSandboxPayment(db, payment.id, play === 'refuse' ? 'refused' : 'paid');
    if (play === 'close') return show(request, reply, sandboxClosedPage);
    const fields = new Map([['payment', payment.id]]);
    if (play === 'twice') await Promise.all([orders.returned('sandbox', fields), orders.returned('sandbox', fields)]);
    return reply.redirect(`${payment.returnUrl}?payment=${payment.id}`, 303);
  });

  app.get('/invoices/:id', async (request, reply) => {
    const invoice = await invoices.get((request.params as { id?: string }).id ?? '');
    return show(request, reply, (visit) => invoicePage(visit, invoice, `${visit.origin}/invoices/${invoice.id}`));
  });
  app.get('/invoices/:id/pdf', async (request, reply) => {
    const { language, origin: own } = visitIn(request);
    const invoice = await invoices.get((request.params as { id?: string }).id ?? '');
    const pdf = await payments.invoicePdf(invoice, language, `${own}/invoices/${invoice.id}`);
    return reply
      .type('application/pdf')
      .header('content-disposition', `inline; filename="invoice-${invoice.year}-${invoice.number}.pdf"`)
      .header('cache-control', 'no-store')
      .send(pdf);
  });
}

const PLAYS = new Set(['pay', 'refuse', 'wait', 'twice', 'close']);
const MAX_FIELDS = 50;

/** Reads the fields from the address and, for gateways that post, from the form. */
function fieldsOf(request: FastifyRequest): Map<string, string> {
  const fields = new Map(new URLSearchParams(request.url.split('?')[1] ?? ''));
  if (request.method === 'POST' && fields.size < MAX_FIELDS)
    for (const [name, value] of new URLSearchParams(bytesOf(request).toString('utf8'))) fields.set(name, value);
  refuseBrokenText(Object.fromEntries(fields));
  return fields;
}

function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
