// The academy's brand (texts, links, logos), the settings that the server writes into each page, and pre-rendered pages.
import * as z from 'zod/mini';
import type { Language } from './language.ts';
import type { Product } from './products.ts';

const link = z.string().check(z.maxLength(2048));

/** The brand that pages show: the fields of BRAND_FILE, with defaults. For the colour, see server/src/brand.ts. */
export const brand = z.object({
  name: z.string(),
  logo_url: z.nullable(link),
  logo_dark_url: z.nullable(link),
  /** The image (1200 x 630 pixels) that other sites show for a link to the portal. Null: a built-in image. */
  share_image_url: z.nullable(link),
  support_email: z.string(),
  onboarding_call_url: link,
  social_links: z.array(z.object({ label: z.string(), url: link })),
  terms_url: link,
  privacy_url: link,
  refund_url: link,
  /** The texts on a product page, at most three. */
  perks: z.array(z.string()).check(z.maxLength(3)),
  copyright: z.string(),
});
export type Brand = z.output<typeof brand>;

/**
 * `url` is the base URL of the sign-in service. `anon_key` is its public API key, or null if the service needs no key.
 * `google` is true if the service offers sign-in with Google.
 */
export const signInService = z.object({
  url: z.string(),
  anon_key: z.nullable(z.string()),
  google: z.boolean(),
});

/**
 * JSON that the server writes into every page, in the element `page-settings`, to save the browser a request.
 * `time_zone` is TIME_ZONE, an IANA name.
 */
export const pageSettings = z.object({
  brand,
  sign_in: signInService,
  version: z.string(),
  time_zone: z.string(),
});
export type PageSettings = z.output<typeof pageSettings>;

/** JSON that the server writes into a page, in the element `page-data`. */
export type PageData = {
  /** The product that the page is about. Missing on pages without a product; null if the product does not exist. */
  product?: Product | null;
};

/** `path` is the path of the requested address, without query parameters. */
export type PageRequest = { path: string; language: Language; settings: PageSettings; data: PageData };

/**
 * A pre-rendered page (docs/decisions/0020). `forVisitors` is the HTML of the body for visitors, `forSignedIn` that for
 * browsers with a stored session. The other fields are plain text.
 */
export type RenderedPage = {
  forVisitors: string;
  forSignedIn: string;
  title: string;
  description: string;
  /** Text that a browser shows if it runs no scripts. */
  withoutScript: string;
};

/** Type of `renderPage`, which the build of the pages exports for the server. Throws the error of a component. */
export type RenderPage = (request: PageRequest) => RenderedPage;
