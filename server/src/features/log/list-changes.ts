// Lists the fields that an edit changed, for the audit log.

/** Returns the keys of `fields` whose values differ in `from` and `to`. Each key has the value [old, new]. */
export function listChanges<T extends object>(
  fields: T,
  { from, to }: { from: NoInfer<T>; to: NoInfer<T> },
): Record<string, [unknown, unknown]> {
  const changed = (Object.keys(fields) as (keyof T & string)[]).filter((field) => from[field] !== to[field]);
  return Object.fromEntries(changed.map((field) => [field, [from[field], to[field]]]));
}
