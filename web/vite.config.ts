// Builds the files for browsers (hashed, with compressed copies) and the module with which the server renders pages.
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compression } from 'vite-plugin-compression2';

const SERVER = 'http://localhost:3000';
const SETTINGS = /<script type="application\/json" id="page-settings">[^<]*<\/script>/;
const REACT = /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/;

// Only `vite dev` uses this plugin. It fills index.html with the page settings of the running server and the address of
// main.tsx.
const fillTemplate: Plugin = {
  name: 'fill-template',
  apply: 'serve',
  async transformIndexHtml(html) {
    const response = await fetch(SERVER).catch(() => null);
    if (!response) throw new Error('The pages need the portal beside them: script/start');
    // Makes the server's addresses in the settings relative. The browser then sends all calls to `vite dev`, which
    // forwards the calls to the server (`proxy`).
    const settings = SETTINGS.exec(await response.text())?.[0].replaceAll(SERVER, '');
    return html
      .replace('{{head}}', () => `<link rel="stylesheet" href="/brand.css">${settings}`)
      .replace('{{body}}', '<div id="root"></div><script type="module" src="/src/main.tsx"></script>');
  },
};

export default defineConfig({
  plugins: [react(), tailwindcss(), fillTemplate, compression({ include: /\.(js|css|svg)$/, threshold: 0 })],
  // wouter imports this package for older versions of React. React 19 has the same hook itself.
  resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
  // One `vite build` builds both environments: the files for browsers and the module for the server.
  builder: {},
  environments: {
    client: {
      build: { manifest: true, rolldownOptions: { input: ['src/main.tsx', 'src/first-script.ts'] } },
    },
    ssr: {
      resolve: { noExternal: true },
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        outDir: 'dist/server',
        copyPublicDir: false,
        rolldownOptions: { input: 'src/render-page.tsx' },
      },
    },
  },
  build: {
    // Inlines no file as a data: URL, because the content security policy does not allow data: URLs.
    assetsInlineLimit: 0,
    // Vite's limit is for uncompressed scripts. The budgets of the portal (script/script-budgets.ts) are for what is sent.
    chunkSizeWarningLimit: 2_000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Otherwise, each build prints which plugin was slow.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            // React is in its own file, because it changes less often than our code. So browsers keep the file with
            // React in their cache when the portal is updated.
            { name: 'react', test: REACT },
            // What every page loads is one file. Otherwise, each module that other files use too would be a file of a few
            // hundred bytes.
            { name: 'common', test: /[\\/]src[\\/](main|app)\.tsx$/ },
          ],
        },
      },
    },
    target: 'es2023',
    // The first browser versions with light-dark(). If older versions were included, the build would write each colour
    // twice into the style sheet.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  server: { proxy: { '/api': SERVER, '/auth/v1': SERVER, '/brand.css': SERVER, '/dev': SERVER } },
});
