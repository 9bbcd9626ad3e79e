// Tests the confirm page, which a mailed link opens. Opening the page must not use up the link, and the page must
// escape its input.
import { expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { createEmail, PUBLIC_URL } from '../../test/open-test-sign-in.ts';

const { signIn } = keepTestSignIn();

async function openPage(query: string, headers: Record<string, string> = {}) {
  const response = await signIn.call(`/confirm?${query}`, { headers });
  return { response, html: await response.text() };
}

test('opening the page several times does not use the link up', async () => {
  const { link, token } = await signIn.requestMail(createEmail());
  expect(link.href.startsWith(`${PUBLIC_URL}/auth/v1/confirm?`)).toBe(true);
  for (const method of ['GET', 'GET', 'HEAD', 'GET']) {
    await signIn.call(`/confirm${link.search}`, { method });
  }
  const { error } = await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
  expect(error).toBeNull();
});

test.each(['cross-site', 'same-site', 'none'])(
  'the page is also shown for a link to /verify that a browser opens from elsewhere (%s)',
  async (site) => {
    const { token } = await signIn.requestMail(createEmail());
    const query = new URLSearchParams({ token, type: 'magiclink', redirect_to: 'https://evil.example/' });
    const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
    const response = await signIn.call(`/verify?${query}`, { headers });
    expect(response.status).toBe(303);
    const page = new URL(response.headers.get('location') ?? '');
    expect(page.origin + page.pathname).toBe(`${PUBLIC_URL}/auth/v1/confirm`);
    expect(Object.fromEntries(page.searchParams)).toEqual({
      token_hash: token,
      type: 'magiclink',
      redirect_to: `${PUBLIC_URL}/`,
    });
    const { error } = await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
    expect(error).toBeNull();
  },
);

test('a link to /verify opened from the portal itself signs in at once', async () => {
  const { token } = await signIn.requestMail(createEmail());
  const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' };
  const response = await signIn.call(`/verify?${new URLSearchParams({ token, type: 'magiclink' })}`, {
    headers,
  });
  expect(response.headers.get('location')).toContain('#access_token=');
});

test('the page is not cached, sends no referrer, and runs only its own script', async () => {
  const { response } = await openPage('token_hash=x&type=magiclink');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  // Without 'self' as a source of images in the policy, Firefox refuses to load the favicon and logs an error.
  expect(policy).toContain("img-src 'self'");
  expect(policy).not.toContain('unsafe');
});

test('the script gets only the checked redirect address', async () => {
  const { html } = await openPage('token_hash=x&redirect_to=https://evil.example/%22');
  expect(html).toContain(`data-redirect-to="${PUBLIC_URL}/"`);
  expect(html).not.toContain('evil.example');
});

test('values from the query are escaped', async () => {
  const bad = encodeURIComponent('"><script>alert(1)</script>');
  const { html } = await openPage(`token_hash=${bad}&type=${bad}&redirect_to=${bad}`);
  expect(html).not.toContain('<script>alert');
  expect(html).toContain('data-token-hash="&quot;&gt;&lt;script&gt;');
  expect(html).toContain('Alderquay &amp; Sons');
});

test('the page and its mail are completely in the language of the visitor', async () => {
  const headers = { 'accept-language': 'en', cookie: 'lang=de' };
  const email = createEmail();
  await signIn.call('/otp', { method: 'POST', headers, body: { email } });
  await signIn.readMail(email);
  const mail = signIn.outbox.list().find(({ to }) => to === email);
  expect(mail?.subject).toBe('Bei Alderquay & Sons anmelden');

  const [english, german] = [await openPage('token_hash=x'), await openPage('token_hash=x', headers)];
  expect(german.html).toContain('<html lang="de">');
  expect(german.html).toContain('<h1>Weiter zu Alderquay &amp; Sons</h1>');
  const words = ({ html }: { html: string }): string[] =>
    html.match(/(?<=>|data-(?:busy|too-often|away)=")[^<>"]*\p{L}[^<>"]*/gu) ?? [];
  expect(words(english).length).toBeGreaterThan(12);
  const inBoth = words(english).filter((text) => words(german).includes(text));
  expect(inBoth, 'only the mark and the name').toEqual(['A', 'Alderquay &amp; Sons']);
});

test('without a token the page says that the link does not work, and links to the home page', async () => {
  const { html } = await openPage('');
  expect(html).toMatch(/<section id="ask"[^>]* hidden>/);
  expect(html).toMatch(/<section id="failed"(?![^>]*hidden)[^>]*>/);
  expect(html).toContain(`href="${PUBLIC_URL}/"`);
});

test('style (with the provider’s colour) and script are separate files', async () => {
  const style = await signIn.call('/confirm.css');
  expect(style.headers.get('content-type')).toContain('text/css');
  expect(await style.text()).toContain('--accent-solid:light-dark(oklch(0.4078 0.1411 344.09)');
  const script = await signIn.call('/confirm.js');
  expect(script.headers.get('content-type')).toContain('text/javascript');
});
