// The mark of work under way, as tall as the text beside it. Its style is in main.css: a sheet of its own is a file more in each page.

export function Spinner() {
  return <span className="spinner" data-turns="" aria-hidden="true" />;
}
