// Builds the column lists of SQL statements from one list of field names, so that each column is written once.

/**
 * Builds the column lists for the fields of T, in the order of `fields`. Example with the fields `a` and `b`: `list` is
 * `a, b`; `of('t')` is `t.a, t.b`; `params` is `$1, $2`. `valuesOf(row)` returns the values for `params`. If a field of
 * T is missing in `fields`, the program does not compile.
 */
export function sqlColumns<T extends object>(fields: Record<keyof T & string, true>) {
  const names = Object.keys(fields) as (keyof T & string)[];
  return {
    fields,
    list: names.join(', '),
    of: (alias: string) => names.map((name) => `${alias}.${name}`).join(', '),
    params: names.map((_, index) => `$${index + 1}`).join(', '),
    valuesOf: (row: T) => names.map((name) => row[name]),
  };
}
