/** E-mail by SMTP. */
import type { Transporter } from 'nodemailer';
import { CarryFailure, type MessageCarrier } from './message.ts';

export interface SmtpOptions {
  /** `smtps://user:password@host:465` or `smtp://host:587`. */
  url: string;
  from: string;
}

const TIMEOUT_MS = 15_000;

export function createSmtp({ url, from }: SmtpOptions): MessageCarrier & { close(): void } {
  let opened: Transporter | undefined;
  // The library is loaded with the first message.
  const transport = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    opened ??= createTransport(url, {});
    Object.assign(opened.options, {
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    });
    return opened;
  };
  return {
    name: 'smtp',
    channel: 'email',
    async carry({ to, subject, text }) {
      try {
        await (await transport()).sendMail({ from, to: { name: '', address: to }, subject, text });
      } catch (error) {
        const { responseCode } = error as { responseCode?: number };
        const lasting = responseCode !== undefined && responseCode >= 500;
        throw new CarryFailure(
          'smtp',
          responseCode === undefined ? 'not reachable' : `answer ${responseCode}`,
          !lasting,
        );
      }
    },
    close: () => opened?.close(),
  };
}
