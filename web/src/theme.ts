// The theme that this browser shows: that of the system, or the one that a member of the team chose (R-DAY-60).
// first-script.ts applies the stored choice before the first paint.
import { keepChoice } from './sign-in/session.ts';
import { createStore } from './ui/dom.ts';

export type Theme = 'system' | 'light' | 'dark';

const chosen = createStore<Theme | null>(null);
export const subscribeToTheme = chosen.subscribe;

/** The attribute `data-theme` of the page is missing for the theme of the system. */
export function getTheme(): Theme {
  return chosen.get() ?? (document.documentElement.dataset.theme as Theme | undefined) ?? 'system';
}

/** Shows and stores the theme. */
export function setTheme(theme: Theme): void {
  keepChoice('theme', theme === 'system' ? null : theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  chosen.set(theme);
}
