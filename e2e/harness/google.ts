// Sets up a fixture whose Google sign-in uses a real OpenID Connect provider on another host.
import type { Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { openTestProvider, type TestProvider } from '../../server/test/open-test-provider.ts';
import { type Fixture, setOwnFixture } from './fixture.ts';

export type GoogleFixture = Fixture & { provider: TestProvider };

/** Sets up the same fixture as `setOwnFixture`, in which the portal also offers sign-in with Google. */
export function setGoogleFixture(): GoogleFixture {
  let provider: TestProvider | undefined;
  const fixture = setOwnFixture(async (url) => {
    // The provider's host differs from the portal's host. So the provider's redirect to the portal is cross-site, like
    // the redirect from Google.
    provider = await openTestProvider({ redirectUri: `${url}/auth/v1/callback`, host: 'localhost' });
    Object.assign(fixture, { provider });
    const { clientId, clientSecret, issuer } = provider.settings;
    return { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_ISSUER: issuer };
  }) as GoogleFixture;
  afterAll(() => provider?.close());
  return fixture;
}

/** Signs in as `login` on the provider's page and allows the access. */
export async function allowAtProvider(page: Page, login: string): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
  await page.getByLabel('Account').fill(login);
  await page.getByRole('button', { name: 'Allow' }).click();
}

/** Refuses the access on the provider's page. */
export async function refuseAtProvider(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Refuse' }).click();
}
