// The page's settings: the brand, the sign-in service, the portal's version and time zone. The server writes them into each page.
import type { Brand, PageData, PageSettings } from '@portal/contract';

/** Texts, links and perks of the provider. */
export let brand: Brand;

/** The sign-in service: its address, its public key, and whether Google is configured. */
export let signInService: PageSettings['sign_in'];

/** The version of the portal, such as 0.3.0. */
export let version: string;

/** The portal's time zone, an IANA name. The staff pages show their days and times in it (R-MAP-40). */
export let timeZone: string;

/** The server calls this before it renders each page, one page at a time. */
export function setPageSettings(settings: PageSettings): void {
  brand = settings.brand;
  signInService = settings.sign_in;
  version = settings.version;
  timeZone = settings.time_zone;
}

if (typeof document !== 'undefined') setPageSettings(readPageSettings());

function readPageSettings(): PageSettings {
  return JSON.parse(document.getElementById('page-settings')?.textContent ?? '') as PageSettings;
}

/** Returns the data that the server wrote into this page, or an empty object if there is none. */
export function readPageData(): PageData {
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '{}') as PageData;
}
