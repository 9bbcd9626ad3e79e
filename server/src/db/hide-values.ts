// Removes values from database errors. Errors are logged, and the log must not contain e-mail addresses or coupon
// codes.

// Fields of an error that may contain values. PGlite puts the parameters into `params`. PostgreSQL puts values of the
// refused row into `detail`, and the line of a COPY into `where`.
const FIELDS_WITH_VALUES = ['params', 'detail', 'where', 'hint', 'internalQuery'];

/**
 * Removes values from `error` and returns `error`. A message with an SQLSTATE of class 22 quotes a value, for example
 * `invalid input syntax for type uuid: "…"`. So such a message is replaced.
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
