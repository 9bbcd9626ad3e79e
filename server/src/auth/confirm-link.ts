// Builds the address of the confirm page. Sign-in mails link to this page, and the button on the page signs the user
// in.

/** Returns the URL of the confirm page. The caller must have checked `redirect_to` with `resolveRedirect`. */
export function writeConfirmLink(
  publicUrl: string,
  { token, type, redirect_to }: { token: string; type: string; redirect_to: string },
): string {
  const query = new URLSearchParams({ token_hash: token, type, redirect_to });
  return `${new URL('/auth/v1/confirm', publicUrl).href}?${query}`;
}
