// What the service says about itself: /health, /settings, its public keys; and /authorize, which has no provider yet.
import { authError } from '../auth-error.ts';
import type { AuthContext } from '../context.ts';
import { type AuthRoute, readQuery } from './wire.ts';

// The protocol lists every provider that a Supabase Auth may have.
const PROVIDERS =
  'anonymous_users apple azure bitbucket discord facebook snapchat figma fly github gitlab google keycloak kakao linkedin linkedin_oidc notion spotify slack slack_oidc workos twitch twitter email phone zoom'.split(
    ' ',
  );
const OAUTH_PROVIDERS = PROVIDERS.filter((name) => !['anonymous_users', 'email', 'phone'].includes(name));

/** None of them needs a session. */
export function listAboutRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'GET',
      path: '/health',
      handle: async () => ({ version: 'v2', name: 'GoTrue', description: 'Sign-in service of the portal' }),
    },
    {
      method: 'GET',
      path: '/settings',
      handle: async () => ({
        external: Object.fromEntries(PROVIDERS.map((name) => [name, name === 'email'])),
        disable_signup: false,
        mailer_autoconfirm: false,
        phone_autoconfirm: false,
        sms_provider: '',
        saml_enabled: false,
        saml_private_key_next_configured: false,
        passkeys_enabled: false,
      }),
    },
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      handle: async (_request, reply) => {
        reply.header('Cache-Control', 'public, max-age=600');
        return { keys: await context.keys.listPublicKeys() };
      },
    },
    {
      method: 'GET',
      path: '/authorize',
      handle: async (request) => {
        const provider = readQuery(request).provider ?? '';
        const fault = OAUTH_PROVIDERS.includes(provider)
          ? 'provider is not enabled'
          : `Provider ${provider} could not be found`;
        throw authError(400, 'validation_failed', `Unsupported provider: ${fault}`);
      },
    },
  ];
}
