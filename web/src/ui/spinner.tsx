// The mark of work under way, as tall as the text beside it.

export function Spinner() {
  return <span className="spinner" data-turns="" aria-hidden="true" />;
}
