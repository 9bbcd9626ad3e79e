// Builds the column lists of SQL statements from one object, so that each column is named once.

/**
 * Returns the column lists of the fields of T, in the order of `fields`. For the fields `a` and `b`, `list` is `a, b`,
 * `of('t')` is `t.a, t.b`, `params` is `$1, $2`, and `valuesOf` returns the values of `params`. A field of T that is
 * missing in `fields` is a type error.
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
