// The provider's words and links, and where people sign in: what the server wrote into the page, or renders it with.
import type { Brand, PageSettings } from '@portal/contract';

// Only seen when the pages are served without the server, which always writes its settings.
const neutral: PageSettings = {
  brand: {
    name: 'Partner Benefits',
    logo_url: null,
    logo_dark_url: null,
    share_image_url: null,
    support_email: 'support@example.org',
    onboarding_call_url: 'https://example.org/onboarding',
    social_links: [{ label: 'Community', url: 'https://example.org/community' }],
    terms_url: 'https://example.org/terms',
    privacy_url: 'https://example.org/privacy',
    refund_url: 'https://example.org/refunds',
    perks: [
      'Priority access at peak times',
      '5x more messages than the free tier',
      'Early access to new features',
    ],
    copyright: '',
  },
  sign_in: { url: '/auth/v1', anon_key: null, google: false },
};

/** Words, links and perks of the provider. */
export let brand: Brand = neutral.brand;

/** The service that signs people in: its address, its public key, whether Google is configured. */
export let signInService = neutral.sign_in;

/** Sets what the two above are. On the server, which renders one page at a time, ahead of each. */
export function setPageSettings(settings: PageSettings): void {
  brand = settings.brand;
  signInService = settings.sign_in;
}

if (typeof document !== 'undefined') setPageSettings(readPageSettings());

function readPageSettings(): PageSettings {
  const text = document.getElementById('page-settings')?.textContent ?? '{}';
  const written = JSON.parse(text) as Partial<PageSettings>;
  return { ...neutral, ...written };
}
