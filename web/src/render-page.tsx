// Renders a page on the server in two variants: for visitors, and for people with a stored session (0020).
import type { RenderPage } from '@portal/contract';
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { Router } from 'wouter';
import { App, loadRenderedScreen } from './app.tsx';
import { LOADING, type SessionState, SIGNED_OUT } from './auth.ts';
import { HeadNotes } from './page.tsx';
import { createQueries, keepPageData } from './queries.ts';
import { setPageSettings } from './settings.ts';
import { setCurrentLocale } from './words/format.ts';
import { t } from './words/translate.ts';

export { default as template } from '../index.html?raw';

// Loads the JavaScript of the product page in advance, because `renderToString` cannot wait for it.
await loadRenderedScreen('/product/any');
const { de } = await import('@portal/contract/german');
const CATALOGUES = { en: null, de };

export const renderPage: RenderPage = ({ path, language, settings, data }) => {
  setPageSettings(settings);
  setCurrentLocale({ language, locale: language, catalogue: CATALOGUES[language] });
  const notes = { title: '', description: '' };
  const render = (rendered: SessionState) => {
    const queries = createQueries();
    keepPageData(queries, path, data);
    return renderToString(
      <StrictMode>
        <HeadNotes value={rendered === SIGNED_OUT ? notes : null}>
          <Router ssrPath={path}>
            <App queries={queries} rendered={rendered} />
          </Router>
        </HeadNotes>
      </StrictMode>,
    );
  };
  const withoutScript = t(
    'You can read this page without JavaScript. To sign in and to redeem a code, please turn it on.',
  );
  return { withoutScript, forVisitors: render(SIGNED_OUT), forSignedIn: render(LOADING), ...notes };
};
