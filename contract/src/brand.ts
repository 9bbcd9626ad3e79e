// Schemas of the provider's brand (texts, links, logos) and of the settings that the server writes into each page.
import * as z from 'zod/mini';

const link = z.string().check(z.maxLength(2048));

/**
 * The brand that pages show: BRAND_FILE over neutral defaults. The accent colour is not part of it (`BrandSettings`).
 */
export const brand = z.object({
  name: z.string(),
  logo_url: z.nullable(link),
  logo_dark_url: z.nullable(link),
  /** Preview image of shared links, 1200 x 630 pixels; null: the built-in picture. */
  share_image_url: z.nullable(link),
  support_email: z.string(),
  onboarding_call_url: link,
  social_links: z.array(z.object({ label: z.string(), url: link })),
  terms_url: link,
  privacy_url: link,
  refund_url: link,
  perks: z.tuple([z.string(), z.string(), z.string()]),
  copyright: z.string(),
});
export type Brand = z.output<typeof brand>;

/** Base URL and public API key of the sign-in service. `google`: whether sign-in with Google is configured. */
export const signInService = z.object({
  url: z.string(),
  anon_key: z.nullable(z.string()),
  google: z.boolean(),
});

/**
 * The JSON that the server writes into every page, in `<script type="application/json" id="page-settings">`. With it
 * the browser needs no extra request for the brand and the sign-in service.
 */
export const pageSettings = z.object({ brand, sign_in: signInService });
export type PageSettings = z.output<typeof pageSettings>;
