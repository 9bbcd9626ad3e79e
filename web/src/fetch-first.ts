// Fetches the files of what is imported when it is needed, in place of Vite's own way. Browsers before the autumn of 2026 keep a module that
// could not be fetched as failed for as long as the page is open, and Vite's links to modules count as such tries. A `fetch`
// that fails is forgotten, and what it brought is in the browser's cache when the import asks for it.

const fetches = new Map<string, Promise<void>>();

/**
 * What the build puts around each `import()`. `files`: the module, all that it imports and their style sheets, as paths below the
 * root (modulePreload in vite.config.ts). Rejects when one of them cannot be had now; may be called again.
 */
export async function __vitePreload<Module>(
  load: () => Promise<Module>,
  files: readonly string[] = [],
): Promise<Module> {
  await Promise.all(files.map(fetchOnce));
  return load();
}

function fetchOnce(file: string): Promise<void> {
  const known = fetches.get(file);
  if (known !== undefined) return known;
  const coming = fetchFile(`/${file}`);
  fetches.set(file, coming);
  coming.catch(() => fetches.delete(file));
  return coming;
}

async function fetchFile(address: string): Promise<void> {
  // The page itself has asked for it. When that failed, its screen offers to load the page again.
  if (document.querySelector(`[href="${address}"],[src="${address}"]`)) return;
  if (address.endsWith('.css')) return linkStyles(address);
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  await response.blob();
}

function linkStyles(href: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(href));
    };
    document.head.append(link);
  });
}
