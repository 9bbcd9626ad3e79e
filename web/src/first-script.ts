// Runs before the page's body is parsed: selects the pre-rendered variant, records an early click and loads the other
// scripts. The server inlines the built code into each page, so this file has no imports and exports (0020).
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
    // The key is the one in sign-in-path.ts. This line throws if the browser blocks storage.
    if (localStorage.getItem('portal-auth') !== null) page.dataset.session = 'stored';
  } catch {}
  if (page.dataset.session && client) {
    // Not `modulepreload`: if that fails, each later import of the file also fails in older browsers.
    const link = { rel: 'preload', as: 'script', crossOrigin: '', href: client };
    document.head.append(Object.assign(document.createElement('link'), link));
  }
  document.addEventListener('DOMContentLoaded', () => {
    const root = document.querySelector('#root');
    const forSignedIn = document.querySelector<HTMLTemplateElement>('#for-signed-in');
    if (page.dataset.session && forSignedIn) root?.replaceChildren(forSignedIn.content);
    forSignedIn?.remove();
    if (page.dataset.session) page.dataset.session = 'shown';
    // For visitors the scripts load after the first paint. Scripts linked in the head would compete with the style sheet
    // and the font for bandwidth: the largest paint of home takes 1.8 s, not 1.2 s (Lighthouse, simulated slow 4G).
    if (!root?.hasChildNodes() || page.dataset.session || document.hidden) return loadScripts();
    new PerformanceObserver(loadScripts).observe({ type: 'paint', buffered: true });
    setTimeout(loadScripts, 1000);
  });
}
