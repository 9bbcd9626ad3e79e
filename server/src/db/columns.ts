// The columns of a row, named once: each list of them in a statement follows from one object.

/**
 * The columns that hold the fields of T, in the order of `fields`: `list` is `a, b`, `of('t')` is `t.a, t.b`, `params` is
 * `$1, $2`, and `valuesOf` returns the values for `params`. A field of T that is missing in `fields` is a type error; one
 * that the table lacks is an error of the first statement.
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
