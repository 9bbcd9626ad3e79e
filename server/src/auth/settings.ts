// Types of the sign-in service's settings and brand.

/** `publicUrl` is the portal's origin, `secretKey` has 32 random bytes. The defaults are those of Supabase Auth. */
export type AuthSettings = {
  publicUrl: string;
  secretKey: Buffer;
  /** Life of an access token. */
  tokenSeconds: number;
  /** Life of a mailed link and its code. */
  linkSeconds: number;
  /** Minimum time between two mails to one address. */
  mailIntervalSeconds: number;
  /** How long a refresh token still works after its use. */
  reuseSeconds: number;
  /** A session ends if it was not refreshed for sessionIdleDays, or is older than sessionMaxDays. */
  sessionIdleDays: number;
  sessionMaxDays: number;
  /** Google, or another OpenID Connect provider in its place; null if not configured. */
  google: { clientId: string; clientSecret: string; issuer: string } | null;
  /** False turns off the limits per IP address and per hour. */
  rateLimits: boolean;
};

/** The provider's brand in mails and on the confirm page. `accent` is any CSS colour. */
export type AuthBrand = { name: string; accent: string; support_email: string };
