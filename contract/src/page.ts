// A page as the server renders it, before any script runs: what the built pages are asked, and what they answer.
import type { PageSettings } from './brand.ts';
import type { Language } from './language.ts';
import type { Product } from './products.ts';

/** What a page shows from the start; written into it as `<script type="application/json" id="page-data">`. */
export type PageData = {
  /** On a product's page; null when there is none. */
  product?: Product | null;
};

/** `path` without query. */
export type PageRequest = { path: string; language: Language; settings: PageSettings; data: PageData };

/** HTML of the page's body: as visitors see it, and as it begins where a session is stored. The rest is text. */
export type RenderedPage = {
  forVisitors: string;
  forSignedIn: string;
  title: string;
  description: string;
  /** What is said to those who run no scripts. */
  withoutScript: string;
};

/** What the server's build of the pages exports under this name. Answers at once; throws what a screen throws. */
export type RenderPage = (request: PageRequest) => RenderedPage;
