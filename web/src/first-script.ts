// Runs before the page is parsed: chooses one of the two pre-rendered variants, notes an early click and loads the other
// scripts. The server writes its built code into each page, so it imports and exports nothing (0020).
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
    // The key of sign-in-path.ts. Throws in a browser that refuses storage.
    if (localStorage.getItem('portal-auth') !== null) page.dataset.session = 'stored';
  } catch {}
  if (page.dataset.session && client) {
    // A failed preload is forgotten; after a failed `modulepreload` older browsers fail each import of that file.
    const link = { rel: 'preload', as: 'script', crossOrigin: '', href: client };
    document.head.append(Object.assign(document.createElement('link'), link));
  }
  document.addEventListener('DOMContentLoaded', () => {
    const root = document.querySelector('#root');
    const forSignedIn = document.querySelector<HTMLTemplateElement>('#for-signed-in');
    if (page.dataset.session && forSignedIn) root?.replaceChildren(forSignedIn.content);
    forSignedIn?.remove();
    if (page.dataset.session) page.dataset.session = 'shown';
    // Visitors get the scripts after the first paint. Linked in the head, scripts share the connection with the style sheet
    // and the font: the largest paint of home is at 1.8 s instead of 1.2 s (Lighthouse, simulated slow 4G).
    if (!root?.hasChildNodes() || page.dataset.session || document.hidden) return loadScripts();
    new PerformanceObserver(loadScripts).observe({ type: 'paint', buffered: true });
    setTimeout(loadScripts, 1000);
  });
}
