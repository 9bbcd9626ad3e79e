// A busy indicator as tall as the text next to it. Its style is in main.css: a CSS module would add one more file to
// each page.

export function Spinner() {
  return <span className="spinner" data-turns="" aria-hidden="true" />;
}
