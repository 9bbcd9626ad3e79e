// Types of pre-rendering: what the server passes to the built pages, and the HTML that it gets back.
import type { PageSettings } from './brand.ts';
import type { Language } from './language.ts';
import type { Product } from './products.ts';

/** Data that a page starts with, written into it as `<script type="application/json" id="page-data">`. */
export type PageData = {
  /** Only on a product's page; null if the product does not exist. */
  product?: Product | null;
};

/** `path` is the path of the address, without query. */
export type PageRequest = { path: string; language: Language; settings: PageSettings; data: PageData };

/**
 * A pre-rendered page: HTML of the body for visitors and for browsers with a stored session (0020). The other fields
 * are plain text.
 */
export type RenderedPage = {
  forVisitors: string;
  forSignedIn: string;
  title: string;
  description: string;
  /** Shown to visitors whose browser runs no scripts. */
  withoutScript: string;
};

/**
 * The function that the server build of the pages exports under this name. The function is synchronous, and throws the
 * error of a component that fails.
 */
export type RenderPage = (request: PageRequest) => RenderedPage;
