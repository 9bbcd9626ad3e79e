// A scene with a real OpenID Connect provider in Google's place, on a site of its own.
import type { Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { openTestProvider, type TestProvider } from '../../server/test/open-test-provider.ts';
import { type Scene, setOwnScene } from './scene.ts';

export type GoogleScene = Scene & { provider: TestProvider };

/** As `setOwnScene`, with signing in by Google configured. */
export function setGoogleScene(): GoogleScene {
  let provider: TestProvider | undefined;
  const scene = setOwnScene(async (url) => {
    // Another host than the portal's: the way back is cross-site, as it is from Google.
    provider = await openTestProvider({ redirectUri: `${url}/auth/v1/callback`, host: 'localhost' });
    Object.assign(scene, { provider });
    const { clientId, clientSecret, issuer } = provider.settings;
    return { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_ISSUER: issuer };
  }) as GoogleScene;
  afterAll(() => provider?.close());
  return scene;
}

/** On the provider's page: signs in under `login` and allows it. */
export async function allowAtProvider(page: Page, login: string): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
  await page.getByLabel('Account').fill(login);
  await page.getByRole('button', { name: 'Allow' }).click();
}

/** On the provider's page: goes back without signing in. */
export async function refuseAtProvider(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Refuse' }).click();
}
