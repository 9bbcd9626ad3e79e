// How the pages are built: hashed files, each with its compressed twins beside it, and what the server renders pages with.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, minifySync, type Plugin } from 'vite';

const SERVER = 'http://localhost:3000';
const SETTINGS = /(<script type="application\/json" id="page-settings">)[^<]*(<\/script>)/;

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    settingsOfRunningServer(),
    fetchFirst(),
    headLinks(),
    smallPage(),
    compressedTwins(),
  ],
  // One `vite build` makes both.
  builder: {},
  environments: {
    ssr: {
      resolve: { noExternal: true },
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        outDir: 'dist/server',
        copyPublicDir: false,
        manifest: false,
        rolldownOptions: { input: 'src/render-page.tsx' },
      },
    },
  },
  // The content policy allows no data: addresses.
  build: {
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: {
      polyfill: false,
      // Vite leaves out a module that needs no other file.
      resolveDependencies: (file, needed, { hostType }) =>
        hostType === 'js' && !needed.includes(file) ? [file, ...needed] : needed,
    },
    // Compressing takes its second, and may.
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            // What every screen uses; alone each would be a file of some hundred bytes.
            {
              name: 'common',
              test: /[\\/]src[\\/](fetch-first|words[\\/]say|ui[\\/](classes|icon|spinner))\b|lucide-react(?!.*icons)/,
            },
          ],
        },
      },
    },
    target: 'es2023',
    // The first that know light-dark(): translated, each colour would be there twice. Older ones get the
    // palette of tokens.css, and in Chrome before 120 tickets without notches.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/api': SERVER, '/auth/v1': SERVER, '/brand.css': SERVER, '/dev': SERVER },
  },
});

/** `vite dev` only: takes the page settings from the page that the running server answers. */
function settingsOfRunningServer(): Plugin {
  return {
    name: 'settings-of-running-server',
    apply: 'serve',
    async transformIndexHtml(html) {
      const page = await fetch(SERVER).then(
        (response) => response.text(),
        () => '',
      );
      // Addresses of the server become our own, which are handed on to it.
      const settings = SETTINGS.exec(page)?.[0].replaceAll(SERVER, '');
      if (!settings) throw new Error('The pages need the portal beside them: script/start');
      return html.replace(SETTINGS, () => settings);
    },
  };
}

/** Puts `src/fetch-first.ts` in the place of what Vite wraps `import()` in. */
function fetchFirst(): Plugin {
  return {
    name: 'fetch-first',
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^\0vite\/preload-helper\.js$/ },
      handler: () => join(import.meta.dirname, 'src/fetch-first.ts'),
    },
  };
}

/**
 * Links that come after the style sheet: the colours of the brand, which the server puts in their place, and the text face,
 * fetched before the style sheet names it. And for the first script, the file of the sign-in client.
 */
function headLinks(): Plugin {
  return {
    name: 'head-links',
    transformIndexHtml(html, { bundle }) {
      const links: HtmlTagDescriptor[] = [
        { tag: 'link', attrs: { rel: 'stylesheet', href: '/brand.css' }, injectTo: 'head' },
      ];
      if (bundle) {
        const font = Object.keys(bundle).find((name) => /instrument-sans-latin-wght[^/]*\.woff2$/.test(name));
        if (!font) throw new Error('the text font is not among the built files');
        const attrs = { rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2', crossorigin: '' };
        links.push({ tag: 'link', attrs, injectTo: 'head' });
        const client = Object.values(bundle).find(
          (file) => file.type === 'chunk' && file.facadeModuleId?.includes('@supabase/auth-js'),
        );
        if (!client) throw new Error('the sign-in client is not among the built files');
        return { html: html.replace('data-client=""', `data-client="/${client.fileName}"`), tags: links };
      }
      return links;
    },
  };
}

/** Takes comments and indents out of the page: it is the one file that each visit waits for. */
function smallPage(): Plugin {
  return {
    name: 'small-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html
          .replaceAll(/<!--.*?-->/gs, '')
          .replaceAll(/>\s+</g, '><')
          .replaceAll(/(<script(?: data-[^>]*)?>)(.+?)(?=<\/script>)/gs, (_, tag: string, script: string) => {
            const { code, errors } = minifySync('index.html.js', script, { compress: { target: 'es2023' } });
            if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
            return tag + code.trim();
          }),
    },
  };
}

/** Writes `.br` and `.gz` beside each script, style sheet and drawing. Fonts are compressed already. */
function compressedTwins(): Plugin {
  return {
    name: 'compressed-twins',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    async writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets');
      const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(names.map((name) => writeTwins(join(folder, name))));
    },
  };
}

async function writeTwins(file: string): Promise<void> {
  const text = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${file}.br`, brotliCompressSync(text, { params }));
  await writeFile(`${file}.gz`, gzipSync(text, { level: 9 }));
}
