// Signs in with the token of the mailed link: after a click on the button, or immediately in the browser that requested
// the link.

const MARKER_KEY = 'signInRequest';
const CALLBACK = '/auth/callback';
const ask = document.querySelector('#ask');
const button = document.querySelector('#continue');
const status = document.querySelector('#status');
const { tokenHash, type, redirectTo } = ask.dataset;
// Texts in the visitor's language, which the server wrote into data attributes.
const words = status.dataset;

// Returns whether this browser requested the mail. When a browser requests a mail, the sign-in page stores a random
// text in the browser, and puts the same text into the link.
function askedHere() {
  try {
    const marker = localStorage.getItem(MARKER_KEY);
    return Boolean(marker) && new URL(redirectTo).searchParams.get('request') === marker;
  } catch {
    return false;
  }
}

function isSeen() {
  return document.visibilityState === 'visible' && !document.prerendering;
}

function goOnByItself() {
  if (!isSeen() || button.disabled || !askedHere()) return;
  localStorage.removeItem(MARKER_KEY);
  void spend();
}

async function spend() {
  if (button.disabled) return;
  setBusy(true, words.busy);
  try {
    const response = await fetch('verify', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type, token_hash: tokenHash }),
    });
    if (response.ok) return goOn(await response.json());
    if (response.status === 429) {
      return setBusy(false, words.tooOften);
    }
    if (response.status < 500) return showFailure();
  } catch {
    // There is no connection. The statement after this block shows a message.
  }
  setBusy(false, words.away);
}

function goOn(session) {
  const fragment = new URLSearchParams({
    access_token: session.access_token,
    expires_at: session.expires_at,
    expires_in: session.expires_in,
    refresh_token: session.refresh_token,
    token_type: session.token_type,
    type,
  });
  // Only the page /auth/callback accepts a session. So the browser always goes there. If `redirectTo` is another page,
  // the parameter `next` names this page, and /auth/callback opens it afterwards.
  const target = new URL(redirectTo);
  if (target.pathname !== CALLBACK) {
    target.search = new URLSearchParams({ next: target.pathname + target.search });
    target.pathname = CALLBACK;
  }
  // Replaces the history entry, so that the Back button does not return to a used link.
  location.replace(`${target}#${fragment}`);
}

function setBusy(busy, text) {
  button.disabled = busy;
  button.setAttribute('aria-busy', String(busy));
  status.textContent = text;
}

function showFailure() {
  const failed = document.querySelector('#failed');
  ask.hidden = true;
  failed.hidden = false;
  failed.focus();
}

if (tokenHash) {
  button.addEventListener('click', () => void spend());
  document.addEventListener('visibilitychange', goOnByItself);
  document.addEventListener('prerenderingchange', goOnByItself);
  goOnByItself();
}
