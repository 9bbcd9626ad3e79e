// Types of the sign-in service's settings and brand.

/**
 * Settings of the sign-in service. `publicUrl` is the portal's origin. `secretKey` has 32 random bytes. Default values
 * are the same as in Supabase Auth.
 */
export type AuthSettings = {
  publicUrl: string;
  secretKey: Buffer;
  /** Lifetime of an access token. */
  tokenSeconds: number;
  /** Lifetime of a mailed link and of its code. */
  linkSeconds: number;
  /** Minimum time between two mails to one address. */
  mailIntervalSeconds: number;
  /** For this time after its first use, a refresh token is still accepted. */
  reuseSeconds: number;
  /** A session ends if it was not refreshed for sessionIdleDays, or is older than sessionMaxDays. */
  sessionIdleDays: number;
  sessionMaxDays: number;
  /**
   * Settings of the OpenID Connect provider: Google, or another provider that replaces it. Null if sign-in with a
   * provider is not configured.
   */
  google: { clientId: string; clientSecret: string; issuer: string } | null;
  /** If false, there are no rate limits per IP address, per hour or in total. */
  rateLimits: boolean;
};

export type { MailBrand as AuthBrand } from '../mail/mail-frame.ts';
