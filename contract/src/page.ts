// Types for pre-rendered pages: the input that the server passes to the built pages, and the HTML that they return.
import type { PageSettings } from './brand.ts';
import type { Language } from './language.ts';
import type { Product } from './products.ts';

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
