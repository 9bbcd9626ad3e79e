// The provider's brand (texts, links, logos), the settings that the server writes into each page, and pre-rendered pages.
import * as z from 'zod/mini';
import type { Language } from './language.ts';
import type { Product } from './products.ts';

const link = z.string().check(z.maxLength(2048));

/**
 * The brand that pages show: the fields of BRAND_FILE, and a neutral default for each missing field. The accent colour
 * is not a field of the brand; see `BrandSettings` in server/src/brand.ts.
 */
export const brand = z.object({
  name: z.string(),
  logo_url: z.nullable(link),
  logo_dark_url: z.nullable(link),
  /**
   * Address of the image (1200 x 630 pixels) that other sites show for a link to the portal. If null, other sites show
   * a built-in image.
   */
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

/**
 * `url` is the base URL of the sign-in service. `anon_key` is the public API key of the service, or null if the service
 * needs no key. `google` is true if the service offers sign-in with Google.
 */
export const signInService = z.object({
  url: z.string(),
  anon_key: z.nullable(z.string()),
  google: z.boolean(),
});

/**
 * The JSON that the server writes into every page, in `<script type="application/json" id="page-settings">`. So the
 * browser needs no extra request to know the brand and the sign-in service.
 */
export const pageSettings = z.object({ brand, sign_in: signInService });
export type PageSettings = z.output<typeof pageSettings>;

/**
 * Data that the server writes into a page, in `<script type="application/json" id="page-data">`. So the page can show
 * this data without a request.
 */
export type PageData = {
  /** The product that the page is about. Missing on pages without a product; null if the product does not exist. */
  product?: Product | null;
};

/** `path` is the path of the requested address, without query parameters. */
export type PageRequest = { path: string; language: Language; settings: PageSettings; data: PageData };

/**
 * A pre-rendered page (docs/decisions/0020). `forVisitors` is the HTML of the body for visitors. `forSignedIn` is the
 * HTML of the body for browsers that have stored a session. The other fields are plain text.
 */
export type RenderedPage = {
  forVisitors: string;
  forSignedIn: string;
  title: string;
  description: string;
  /** Text that a browser shows if it runs no scripts. */
  withoutScript: string;
};

/**
 * Type of the function `renderPage`, which the build of the pages exports for the server. The function is synchronous.
 * If a component throws, the function throws the same error.
 */
export type RenderPage = (request: PageRequest) => RenderedPage;
