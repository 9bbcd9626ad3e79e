// Toasts of the admin pages: errors, missing fields and successes.
import type { ErrorCode } from '@portal/contract';
import { ApiError } from '../../api-error.ts';
import { showToast, type ToastWords } from '../../ui/toast-store.ts';
import { say, sayServed } from '../../words/say.ts';
import { followRole, isRoleTooLow } from './role-refusal.ts';

/**
 * Returns a toast with the server's message. Its title is 'Error', or 'Access restricted' if the role of the current
 * user is too low. If the server sent no message, the text is `fallback` (R-ERR-09, A-58, R-TEAM-21).
 */
export function refusalWords(error: unknown, fallback: string): ToastWords {
  const words = error instanceof ApiError && error.serverMessage ? sayServed(error.serverMessage) : fallback;
  const title = isRoleTooLow(error) ? say('Access restricted') : say('Error');
  return { title, description: words, variant: 'destructive' };
}

/**
 * Shows the toast that `refusalWords` returns. After a refusal because of the role, also repeats the check of the role.
 * `fields` maps an error code of the server to a form field. `words` maps a form field to a text that replaces the
 * server's message. Returns the toast's text as the error of the form field, or {} if the error code has no field.
 */
export function tellRefusal<Name extends PropertyKey>(
  error: unknown,
  fallback: string,
  fields: Partial<Record<ErrorCode, Name>> = {},
  words: Partial<Record<Name, string>> = {},
): Partial<Record<Name, string>> {
  const name = error instanceof ApiError && fields[error.code as ErrorCode];
  const own = name && words[name];
  const toast = own ? { ...refusalWords(error, fallback), description: own } : refusalWords(error, fallback);
  showToast(toast);
  followRole(error);
  return (name ? { [name]: toast.description } : {}) as Partial<Record<Name, string>>;
}

/** Shows an error toast for an invalid form value. */
export function tellError(description: string): void {
  showToast({ title: say('Error'), description, variant: 'destructive' });
}

/** Shows the toast for required fields that are blank (R-VAL-10, R-VAL-16, R-VAL-26). */
export function tellMissing(description = say('Please fill in all required fields')): void {
  showToast({ title: say('Missing required fields'), description, variant: 'destructive' });
}

/** Shows a toast for a success, with the title 'Success' and the text `description`. */
export function tellSuccess(description: string): void {
  showToast({ title: say('Success'), description });
}
