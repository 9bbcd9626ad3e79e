// Sets up a scene whose Google sign-in uses a real OpenID Connect provider on another host.
import type { Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { openTestProvider, type TestProvider } from '../../server/test/open-test-provider.ts';
import { type Scene, setOwnScene } from './scene.ts';

export type GoogleScene = Scene & { provider: TestProvider };

/** Sets up the same scene as `setOwnScene`, in which the portal also offers sign-in with Google. */
export function setGoogleScene(): GoogleScene {
  let provider: TestProvider | undefined;
  const scene = setOwnScene(async (url) => {
    // The provider's host differs from the portal's host. So the provider's redirect to the portal is cross-site, like
    // the redirect from Google.
    provider = await openTestProvider({ redirectUri: `${url}/auth/v1/callback`, host: 'localhost' });
    Object.assign(scene, { provider });
    const { clientId, clientSecret, issuer } = provider.settings;
    return { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_ISSUER: issuer };
  }) as GoogleScene;
  afterAll(() => provider?.close());
  return scene;
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
