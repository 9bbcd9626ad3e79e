// What the sign-in service is told at its start: how long things live, and the provider's words.

/** `publicUrl` is the portal's origin; `secretKey` 32 random bytes. Sources of the defaults: Supabase Auth's own. */
export type AuthSettings = {
  publicUrl: string;
  secretKey: Buffer;
  /** Life of an access token. */
  tokenSeconds: number;
  /** Life of a mailed link and its code. */
  linkSeconds: number;
  /** Least time between two mails to one address. */
  mailIntervalSeconds: number;
  /** How long after its use a refresh token is answered again. */
  reuseSeconds: number;
  /** A session ends when it was not refreshed for so long, or began so long ago. */
  sessionIdleDays: number;
  sessionMaxDays: number;
  /** Signing in with Google, or with the OpenID Connect provider in its place; null: not configured. */
  google: { clientId: string; clientSecret: string; issuer: string } | null;
  /** False lifts the limits per IP address and per hour. */
  rateLimits: boolean;
};

/** The provider as mails and pages show it. `accent` is any CSS colour. */
export type AuthBrand = { name: string; accent: string; support_email: string };
