// Routes with information about the service: /health, /settings and the public keys.
import type { AuthContext } from './context.ts';
import type { AuthRoute } from './wire.ts';

// GET /settings lists every provider of Supabase Auth, each with true or false.
const PROVIDERS =
  'anonymous_users apple azure bitbucket discord facebook snapchat figma fly github gitlab google keycloak kakao linkedin linkedin_oidc notion spotify slack slack_oidc workos twitch twitter email phone zoom'.split(
    ' ',
  );

/** The providers where people sign in on another site (OAuth). */
export const OAUTH_PROVIDERS = PROVIDERS.filter(
  (name) => !['anonymous_users', 'email', 'phone'].includes(name),
);

/** Returns routes that anybody can call without a session. */
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
        external: Object.fromEntries(PROVIDERS.map((name) => [name, isOpen(context, name)])),
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
  ];
}

function isOpen({ provider }: AuthContext, name: string): boolean {
  return name === 'email' || (name === 'google' && provider !== null);
}
