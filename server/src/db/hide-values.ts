// Removes values from errors of the engines. Errors are logged, and the log must not contain addresses or codes.

// PGlite adds `params`. In PostgreSQL, `detail` contains values of a refused row, and `where` the line of a COPY.
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
