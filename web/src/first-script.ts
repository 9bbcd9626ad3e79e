// Runs before the page's body is parsed: selects the pre-rendered variant, records an early click and loads the other
// scripts. The server inlines the built script into each page, so this file has no imports and exports (0020).
{
  const page = document.documentElement;
  const { client } = document.currentScript?.dataset ?? {};
  const loadScripts = () => {
    const scripts = document.querySelector<HTMLTemplateElement>('#scripts');
    if (scripts) document.head.append(scripts.content);
  };
  const noteClick = ({ target }: Event) => {
    if (page.dataset.early === undefined) return document.removeEventListener('click', noteClick);
    const button = target instanceof Element && target.closest('button');
    if (!button) return;
    delete document.querySelector<HTMLElement>('[data-pressed]')?.dataset.pressed;
    button.dataset.pressed = '';
  };
  page.dataset.early = '';
  document.addEventListener('click', noteClick);
  try {
    // 'portal-auth' is SESSION_KEY of sign-in/session.ts. If the browser blocks storage, this line throws. Then the page
    // shows what visitors see.
    if (localStorage.getItem('portal-auth') !== null) page.dataset.session = 'stored';
    // See theme.ts.
    const theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') page.dataset.theme = theme;
  } catch {}
  if (page.dataset.session && client) {
    // Uses `preload`, not `modulepreload`. In older browsers, after a failed `modulepreload` each later import of the
    // file fails too.
    const link = { rel: 'preload', as: 'script', crossOrigin: '', href: client };
    document.head.append(Object.assign(document.createElement('link'), link));
  }
  document.addEventListener('DOMContentLoaded', () => {
    const root = document.querySelector('#root');
    const forSignedIn = document.querySelector<HTMLTemplateElement>('#for-signed-in');
    if (page.dataset.session && forSignedIn) root?.replaceChildren(forSignedIn.content);
    forSignedIn?.remove();
    if (page.dataset.session) page.dataset.session = 'shown';
    // A pre-rendered page for visitors loads the scripts after the first paint. Scripts linked in the head would
    // compete with the style sheet and the font for bandwidth. The largest contentful paint of the home page would then
    // take 1.8 s instead of 1.2 s (Lighthouse, simulated slow 4G). Other pages, and pages in a background tab, load the
    // scripts at once.
    if (!root?.hasChildNodes() || page.dataset.session || document.hidden) return loadScripts();
    new PerformanceObserver(loadScripts).observe({ type: 'paint', buffered: true });
    setTimeout(loadScripts, 1000);
  });
}
