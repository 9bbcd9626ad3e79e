/** Joins the class names with spaces. Skips false, null, undefined and empty names. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
