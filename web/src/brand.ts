// The provider's words and links, and where people sign in: what the server wrote into the page, or renders it with.
import type { Brand, PageSettings } from '@portal/contract';

/** Words, links and perks of the provider. */
export let brand: Brand;

/** The service that signs people in: its address, its public key, whether Google is configured. */
export let signInService: PageSettings['sign_in'];

/** Sets what the two above are. On the server, which renders one page at a time, ahead of each. */
export function setPageSettings(settings: PageSettings): void {
  brand = settings.brand;
  signInService = settings.sign_in;
}

if (typeof document !== 'undefined') setPageSettings(readPageSettings());

function readPageSettings(): PageSettings {
  return JSON.parse(document.getElementById('page-settings')?.textContent ?? '') as PageSettings;
}
