// The address of the record of a person.

/** `named` is the `user_id` or the address of the person. */
export const personPath = (named: string) => `/admin/users/${encodeURIComponent(named)}`;
