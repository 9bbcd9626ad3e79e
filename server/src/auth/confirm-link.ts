// Builds the address of the confirm page, which needs a click before a mailed link is used up.

/** `redirect_to` must be checked before. */
export function writeConfirmLink(
  publicUrl: string,
  { token, type, redirect_to }: { token: string; type: string; redirect_to: string },
): string {
  const query = new URLSearchParams({ token_hash: token, type, redirect_to });
  return `${new URL('/auth/v1/confirm', publicUrl).href}?${query}`;
}
