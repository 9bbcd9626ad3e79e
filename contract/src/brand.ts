// The provider's words and links, as the server hands them to the page.
import * as z from 'zod/mini';

const link = z.string().check(z.maxLength(2048));

/** What a deployer may set in BRAND_FILE; every field has a neutral default. */
export const brand = z.object({
  name: z.string(),
  logo_url: z.nullable(link),
  logo_dark_url: z.nullable(link),
  /** Shown with shared links in place of the built-in picture; 1200 x 630 pixels. */
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

/** Where the browser signs in. `google` says whether that way is configured. */
export const signInService = z.object({
  url: z.string(),
  anon_key: z.nullable(z.string()),
  google: z.boolean(),
});

/**
 * What the server writes into every page, in `<script type="application/json" id="page-settings">`, so that the
 * browser knows the provider's words and the sign-in service without another request.
 */
export const pageSettings = z.object({ brand, sign_in: signInService });
export type PageSettings = z.output<typeof pageSettings>;
