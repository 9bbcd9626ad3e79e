// Removes values from errors of the engines. Errors are logged, and the log must not contain addresses or codes.

// PGlite adds `params`. PostgreSQL writes values of a refused row into `detail`, and the line of a COPY into `where`.
const FIELDS_WITH_VALUES = ['params', 'detail', 'where', 'hint', 'internalQuery'];

/**
 * Returns the error without values. Messages of class 22 quote a value, for example `invalid input syntax for type
 * uuid: "…"`, so they are replaced.
 */
export function hideValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const name of FIELDS_WITH_VALUES) Reflect.deleteProperty(error, name);
  if ('code' in error && typeof error.code === 'string' && /^22.{3}$/.test(error.code)) {
    const original = error.message;
    error.message = `a value does not fit (SQLSTATE ${error.code})`;
    if (original !== '') error.stack = error.stack?.replaceAll(original, error.message);
  }
  return error;
}
