/** The operator's colour and picture as separate files, because the content policy allows no inline style. */
import type { FastifyInstance } from 'fastify';
import type { Brand } from '../../branding/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { LOGO } from './icons.ts';
import { html, type Markup } from './markup.ts';

/** The accent colours of the tokens, with the hue left open: lightness and chroma decide the contrast. */
const ACCENTS: readonly (readonly [name: string, light: string, dark: string])[] = [
  ['accent', '0.485 0.083', '0.715 0.096'],
  ['accent-hover', '0.43 0.075', '0.77 0.096'],
  ['on-accent', '0.99 0.004', '0.2 0.03'],
  ['accent-ink', '0.455 0.08', '0.795 0.1'],
  ['accent-tint', '0.945 0.022', '0.285 0.035'],
  ['accent-2', '0.65 0.088', '0.54 0.078'],
  ['accent-3', '0.85 0.045', '0.395 0.05'],
];

export function brandFiles(app: FastifyInstance, brand: () => Brand): void {
  // The name contains the hue or the picture's digest, so a cached file is never out of date.
  app.get<{ Params: { name: string } }>('/brand/:name', async (request, reply) => {
    const { logo } = brand();
    const { name } = request.params;
    const hue = /^hue-(\d{1,3})\.css$/.exec(name)?.[1];
    reply.header('cache-control', 'public, max-age=31536000, immutable').header('x-content-type-options', 'nosniff');
    if (hue !== undefined && Number(hue) < 360) return reply.type('text/css; charset=utf-8').send(styleOf(Number(hue)));
    if (logo !== null && name === `logo-${logo.digest}`) return reply.type(logo.type).send(logo.bytes);
    reply.removeHeader('cache-control');
    throw new GatewayError('not_found');
  });
}

function styleOf(hue: number): string {
  const colours = ACCENTS.map(
    ([name, light, dark]) => `  --${name}: light-dark(oklch(${light} ${hue}), oklch(${dark} ${hue}));`,
  );
  return `:root {\n${colours.join('\n')}\n}\n`;
}

export function logoAddress({ logo }: Brand): string | undefined {
  return logo === null ? undefined : `/brand/logo-${logo.digest}`;
}

/** It goes into the head of a page, after its own style. */
export function brandStyle({ hue }: Brand): Markup | undefined {
  return hue === null ? undefined : html`<link rel="stylesheet" href="/brand/hue-${hue}.css">`;
}

export function mark(brand: Brand): Markup {
  const address = logoAddress(brand);
  return address === undefined ? LOGO : html`<img class="mark" src="${address}" alt="">`;
}
