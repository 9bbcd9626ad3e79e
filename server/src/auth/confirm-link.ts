// The address of the page that asks before a mailed link is spent.

/** `redirect_to` is already checked. */
export function writeConfirmLink(
  publicUrl: string,
  { token, type, redirect_to }: { token: string; type: string; redirect_to: string },
): string {
  const query = new URLSearchParams({ token_hash: token, type, redirect_to });
  return `${new URL('/auth/v1/confirm', publicUrl).href}?${query}`;
}
