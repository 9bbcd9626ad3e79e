// GET /authorize redirects the browser to the provider. The provider then redirects the browser to GET /callback.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthContext } from './context.ts';
import { readChallenge } from './pkce.ts';
import {
  finishProviderSignIn,
  isRandomText,
  PROVIDER_FLOW_SECONDS,
  type ProviderOutcome,
  startProviderSignIn,
  takeFlow,
} from './provider-sign-in.ts';
import {
  resolveRedirect,
  returnWithCode,
  returnWithError,
  returnWithSession,
  toReturnError,
} from './redirect.ts';
import { createRandomText } from './secrets.ts';
import { issueTokens } from './tokens.ts';
import { type AuthRoute, authError, countRequest, type Query, readQuery, toAuthError } from './wire.ts';

// All sign-in methods that Supabase Auth knows. GET /settings returns each of them with true or false.
export const PROVIDERS =
  'anonymous_users apple azure bitbucket discord facebook snapchat figma fly github gitlab google keycloak kakao linkedin linkedin_oidc notion spotify slack slack_oidc workos twitch twitter email phone zoom'.split(
    ' ',
  );
// The sign-in methods where people sign in on another site (OAuth).
const OAUTH_PROVIDERS = PROVIDERS.filter((name) => !['anonymous_users', 'email', 'phone'].includes(name));

const HINTS = ['login_hint', 'prompt', 'hd'];
const MAX_HINT_LENGTH = 320;

/**
 * Returns the routes /authorize and /callback. After an error, both redirect to the page of the portal that started the
 * sign-in. /authorize responds with an error only if its parameters are invalid.
 */
export function listProviderRoutes(context: AuthContext): AuthRoute[] {
  const { publicUrl } = context.settings;
  return [
    {
      method: 'GET',
      path: '/authorize',
      handle: async (request, reply) => {
        const query = readQuery(request);
        requireEnabled(context, query.provider ?? '');
        const challenge = readChallenge(query.code_challenge, query.code_challenge_method);
        const redirect_to = resolveRedirect(query.redirect_to, publicUrl);
        try {
          await countRequest(context, 'authorize', request);
          const browser = readCookie(request, publicUrl) ?? createRandomText();
          const hints = readHints(query);
          const address = await startProviderSignIn(context, { browser, redirect_to, challenge, hints });
          return reply.header('Set-Cookie', writeCookie(publicUrl, browser)).redirect(address, 302);
        } catch (error) {
          return redirectWithError(context, reply, redirect_to, error);
        }
      },
    },
    {
      method: 'GET',
      path: '/callback',
      handle: async (request, reply) => {
        let redirect_to = resolveRedirect(null, publicUrl);
        let status = 303;
        try {
          const ours = readStateAndBrowser(request, publicUrl);
          const flow = await takeFlow(context, ours);
          redirect_to = flow.redirect_to;
          status = 302;
          const query = request.url.slice(request.url.indexOf('?'));
          const outcome = await finishProviderSignIn(context, { flow, query, ...ours });
          return reply.redirect(await writeReturn(context, redirect_to, outcome), status);
        } catch (error) {
          return redirectWithError(context, reply, redirect_to, error, status);
        }
      },
    },
  ];
}

function requireEnabled({ provider }: AuthContext, name: string): void {
  if (provider !== null && name === 'google') return;
  const fault = OAUTH_PROVIDERS.includes(name)
    ? 'provider is not enabled'
    : `Provider ${name} could not be found`;
  throw authError(400, 'validation_failed', `Unsupported provider: ${fault}`);
}

function readHints(query: Query): Record<string, string> {
  const given = HINTS.map((name) => [name, query[name] ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== '' && value.length <= MAX_HINT_LENGTH));
}

// Throws if the browser does not send the cookie of its sign-in. Otherwise an attacker could sign a victim in to the
// attacker's account, by making the victim open the attacker's callback address.
function readStateAndBrowser(request: FastifyRequest, publicUrl: string) {
  const { state } = readQuery(request);
  if (!state) throw authError(400, 'bad_oauth_callback', 'OAuth state parameter missing');
  const browser = readCookie(request, publicUrl);
  if (!isRandomText(state) || browser === null) {
    throw authError(400, 'bad_oauth_state', 'OAuth state not found or expired');
  }
  return { state, browser };
}

async function writeReturn(
  context: AuthContext,
  redirect_to: string,
  outcome: ProviderOutcome,
): Promise<string> {
  if ('session' in outcome) {
    return returnWithSession(redirect_to, await issueTokens(context, outcome.session));
  }
  if ('auth_code' in outcome) return returnWithCode(redirect_to, outcome.auth_code);
  const { error, description } = outcome.refusal;
  return returnWithError(redirect_to, { error, error_description: description }, { inQuery: true });
}

function redirectWithError(
  { log }: AuthContext,
  reply: FastifyReply,
  redirect_to: string,
  error: unknown,
  status = 302,
): FastifyReply {
  const fault = toReturnError(toAuthError(error, log));
  return reply.redirect(returnWithError(redirect_to, fault, { inQuery: true }), status);
}

// The prefix __Host- prevents that other hosts of the domain set this cookie. Browsers accept the prefix only with
// https.
function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-portal-sign-in' : 'portal-sign-in';
}

// SameSite is Lax, because the provider's redirect comes from another site, and browsers would not send a `Strict`
// cookie. All tabs share one cookie. A new sign-in keeps the value of the cookie, so that sign-ins in several tabs can
// run at the same time.
function writeCookie(publicUrl: string, browser: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(publicUrl)}=${browser}; Path=/; Max-Age=${PROVIDER_FLOW_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

function readCookie(request: FastifyRequest, publicUrl: string): string | null {
  const name = cookieName(publicUrl);
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  const value = pairs.find(([key]) => key === name)?.[1];
  return isRandomText(value) ? value : null;
}
