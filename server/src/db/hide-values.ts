// Takes out of an engine's error what stood in the rows: errors are logged, and addresses and codes must not be.

// PGlite adds the parameters; PostgreSQL's detail names the values of a refused row, `where` the line of a COPY.
const TELLING = ['params', 'detail', 'where', 'hint', 'internalQuery'];

/** Also of the message where it quotes a value: class 22, such as `invalid input syntax for type uuid: "…"`. */
export function hideValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const name of TELLING) Reflect.deleteProperty(error, name);
  if ('code' in error && typeof error.code === 'string' && /^22.{3}$/.test(error.code)) {
    const told = error.message;
    error.message = `a value does not fit (SQLSTATE ${error.code})`;
    if (told !== '') error.stack = error.stack?.replaceAll(told, error.message);
  }
  return error;
}
